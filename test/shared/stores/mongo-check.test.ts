import { mongo } from 'mongoose';
import { expect } from 'vitest';
import { DomainError } from '#shared/errors/domain-error.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { DiskIsFull, RefusesWrites } from '#shared/stores/dependencies.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { writing } from '#shared/stores/mongo-check.ts';
import { type Fate, type MongoCommand, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

/** After so long a check writes again, in ms. */
const NEXT_WRITE_MS = 1_100;
/** After so long a write is stuck, in ms. */
const STUCK_MS = 4_100;
/** After so long without a refused request, in ms, a check sees whether the disk has space again. */
const QUIET_MS = 4_100;
/** A write of a check that takes new space, in bytes. */
const LARGE = 100_000;
const FULL = new mongo.MongoServerError({ message: 'No space left on device', code: 14_031 });

const test = storesTest.extend('health', async ({ stores }, { onCleanup }) => {
  const fault = {
    fateOf: (_: MongoCommand): Fate | Promise<Fate> => 'done',
    ping: (): Fate | Promise<Fate> => 'done',
  };
  const proxy = await startMongoProxy(stores.mongoUri, (command) => {
    if (command.update === 'health') return fault.fateOf(command);
    return command.ping ? fault.ping() : 'done';
  });
  const connection = await connectMongo(proxy.uri, createLogger('test', 'silent'));
  onCleanup(async () => {
    await connection.close();
    await proxy.close();
  });
  /** Has the next write wait. @returns what decides its fate. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<Fate>();
    fault.fateOf = () => promise;
    return resolve;
  };
  const succeed = () => {
    fault.fateOf = () => 'done';
  };
  /** Leaves no space for what is large; what is small still fits. */
  const fill = () => {
    fault.fateOf = ({ updates }) =>
      mongo.BSON.calculateObjectSize({ updates }) > LARGE ? 'no space for each' : 'done';
  };
  const holdPings = () => {
    const { promise, resolve } = Promise.withResolvers<Fate>();
    fault.ping = () => promise;
    return () => {
      fault.ping = () => 'done';
      resolve('done');
    };
  };
  return { check: writing('api')(connection), hold, holdPings, succeed, fill };
});

test.for(['no space', 'never done'] as const)(
  'MongoDB is not well before a write succeeds, however late each one fails: %s',
  async (fate, { health: { check, hold, succeed } }) => {
    let end = hold();
    await check();
    end(fate);
    await expect(check()).rejects.toThrow();
    for (const _ of ['second', 'third']) {
      end = hold();
      passTime(NEXT_WRITE_MS);
      await expect(check()).rejects.toThrow(RefusesWrites);
      end(fate);
      await expect(check()).rejects.toThrow();
    }
    succeed();
    passTime(NEXT_WRITE_MS);
    await check();
  },
);

test('a write without an answer is refused after four seconds, and so it stays when it is cut', async ({
  health: { check, hold },
}) => {
  const end = hold();
  await check();
  passTime(STUCK_MS);
  await expect(check()).rejects.toThrow('has confirmed no write');
  hold();
  end('never done');
  await expect(check()).rejects.toThrow(RefusesWrites);
  passTime(NEXT_WRITE_MS);
  await expect(check()).rejects.toThrow(RefusesWrites);
});

test('a full disk is known from the writes of requests, until a large write fits again', async ({
  health: { check, fill, succeed },
}) => {
  await check();
  fill();
  check.notice?.(new DomainError('result-unknown', { cause: FULL }));
  await expect(check()).rejects.toThrow(DiskIsFull);
  for (const _ of ['second', 'third']) {
    passTime(QUIET_MS);
    await expect(check()).rejects.toThrow(DiskIsFull);
  }
  // A write of this size may fit where others do not.
  succeed();
  check.notice?.(FULL);
  await expect(check()).rejects.toThrow(DiskIsFull);
  passTime(QUIET_MS);
  await expect.poll(check).toBeUndefined();
  check.notice?.(new Error('No space left on device'));
  await check();
});

test('a write on a connection that hangs says nothing while others are confirmed', async ({
  health: { check, hold, succeed },
}) => {
  const end = hold();
  await check();
  succeed();
  passTime(NEXT_WRITE_MS);
  await check();
  passTime(STUCK_MS);
  await check();
  // It is cut long after.
  end('never done');
  passTime(NEXT_WRITE_MS);
  await check();
});

test('a MongoDB that is slow is well, and one that answers nothing for four seconds is not', async ({
  health: { check, holdPings },
}) => {
  await check();
  const thaw = holdPings();
  passTime(NEXT_WRITE_MS);
  await check();
  passTime(STUCK_MS);
  await expect(check()).rejects.toThrow('has answered no ping');
  await expect(check()).rejects.not.toThrow(RefusesWrites);
  thaw();
  await expect.poll(() => check().then(() => 'well'), { timeout: 60_000 }).toBe('well');
});
