import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import mongoose, { mongo } from 'mongoose';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isOutOfSpace, isTransientError, isUndone } from '#shared/stores/transient-errors.ts';
import { startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { test } from '#test/fixtures/stores.ts';

/** A Redis that answers by a script; `undefined` closes the connection, after what was answered before. */
type Answer = (command: string) => string | undefined;

let answer: Answer;
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (data) => serve(socket, data.toString()));
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)));
afterAll(() => void server.close());

function serve(socket: Socket, text: string): void {
  for (const command of text.split(/^\*\d+\r\n/m).slice(1)) {
    const name = command.split('\r\n')[1]?.toLowerCase();
    const reply = name === 'get' ? answer(command) : '+OK\r\n';
    if (reply === undefined) return void setTimeout(() => socket.destroy(), 5);
    socket.write(reply);
  }
}

/** The errors of three commands that go out in one pipeline. */
async function errorsOf(script: Answer): Promise<unknown[]> {
  answer = script;
  const redis = new Redis({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    protocol: 2,
    lazyConnect: true,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    commandTimeout: 2_000,
    maxRetriesPerRequest: 1,
  });
  redis.on('error', () => {});
  await redis.connect();
  const results = await Promise.allSettled(['a', 'b', 'c'].map((key) => redis.get(key)));
  redis.disconnect();
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}

describe('an error of Redis is transient', () => {
  it('when the connection closes in the middle of a pipeline', async () => {
    let answered = 0;
    const errors = await errorsOf(() => (answered++ === 0 ? '$1\r\nx\r\n' : undefined));
    expect(errors).toHaveLength(2);
    expect(errors.map(isTransientError)).toEqual([true, true]);
  });

  it.each([
    ['it is full', "-OOM command not allowed when used memory > 'maxmemory'.\r\n"],
    ['it is a replica', "-READONLY You can't write against a read only replica.\r\n"],
    ['it does not answer in time', ''],
  ])('when %s', async (_, reply) => {
    const errors = await errorsOf(() => reply);
    expect(errors.map(isTransientError)).toEqual([true, true, true]);
  });
});

it('a command that Redis refuses for its own sake is no transient error', async () => {
  const errors = await errorsOf(
    () => '-WRONGTYPE Operation against a key holding the wrong kind of value\r\n',
  );
  expect(errors.map(isTransientError)).toEqual([false, false, false]);
});

describe('an error of a call to another service is transient', () => {
  it.each([['in the middle of its answer', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"origin":']])(
    'when the other side ends %s',
    async (_, beginning) => {
      const other = createServer((socket) => socket.once('data', () => socket.end(beginning)));
      other.listen(0, '127.0.0.1');
      await once(other, 'listening');
      const pool = new Pool(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
      onTestFinished(async () => {
        await pool.destroy();
        other.close();
      });
      const call = pool.request({ method: 'GET', path: '/' }).then(({ body }) => body.json());
      expect(isTransientError(await call.catch((error: unknown) => error))).toBe(true);
    },
  );

  it.each(['close', 'destroy'] as const)('when this process has closed its connections: %s', async (end) => {
    const pool = new Pool('http://127.0.0.1:1');
    const ended = pool[end]();
    const error = await pool.request({ method: 'GET', path: '/' }).catch((error: unknown) => error);
    await ended;
    expect(isTransientError(error)).toBe(true);
  });
});

test('an error of MongoDB is transient when this process closes its client meanwhile', async ({ stores }) => {
  const asked = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) => {
    if (insert === undefined) return 'done';
    asked.resolve();
    return never;
  });
  onTestFinished(proxy.close);
  const connection = await mongoose.createConnection(proxy.uri, { retryWrites: false }).asPromise();
  const insertion = connection.collection('things').insertMany([{ name: 'one' }]);
  const outcome = insertion.catch((error: unknown) => error);
  await asked.promise;
  await connection.close();
  expect(isTransientError(await outcome)).toBe(true);
  const after = await connection
    .collection('things')
    .findOne()
    .catch((error: unknown) => error);
  expect(isTransientError(after)).toBe(true);
});

describe('MongoDB refuses a write', () => {
  const inSqlState = (state: string) =>
    [...state].reduce((code, digit, i) => code + ((digit.charCodeAt(0) - 48) & 0x3f) * 2 ** (6 * i), 0);
  const errorOf = (code: number, message = '') => new mongo.MongoServerError({ message, code });

  it.each([
    ['by its code', errorOf(14_031)],
    ['by that of PostgreSQL', errorOf(inSqlState('53100'))],
    [
      'in a command that DocumentDB fails as a whole',
      errorOf(1, 'could not extend file: No space left on device'),
    ],
    [
      'for a quota of the file system',
      errorOf(inSqlState('XX000'), 'could not extend file: Disk quota exceeded'),
    ],
    ['for a quota of MongoDB Atlas', errorOf(8_000, 'you are over your space quota, using 513 MB of 512 MB')],
  ])('as its disk is full, %s: it is transient, and nothing is stored', (_, error) => {
    expect([isOutOfSpace(error), isTransientError(error), isUndone(error)]).toEqual([true, true, true]);
  });

  it.each([
    ['blocked by its operator', errorOf(371)],
    ['without memory', errorOf(inSqlState('53200'))],
    ['without connections', errorOf(inSqlState('53300'))],
    ['that cannot read its disk', errorOf(inSqlState('58030'))],
    ['of a standby', errorOf(inSqlState('25006'))],
    [
      'on a file system that is read-only',
      errorOf(inSqlState('42501'), 'could not open file: Read-only file system'),
    ],
  ])('of a server %s: it is transient, and its disk is not full', (_, error) => {
    expect([isTransientError(error), isOutOfSpace(error)]).toEqual([true, false]);
  });

  it.each([
    ['that a unique index refuses', errorOf(11_000)],
    ['that is not allowed', errorOf(13)],
    ['of another program', new Error('No space left on device')],
  ])('%s: it is not transient', (_, error) => {
    expect([isTransientError(error), isOutOfSpace(error)]).toEqual([false, false]);
  });
});

test.for([
  ['a conflict, after another was stored', 112, 1, false],
  ['a conflict, and nothing was stored', 112, 0, true],
  ['a full disk, after another was stored', 14_031, 1, false],
  ['a full disk, and nothing was stored', 14_031, 0, true],
] as const)('a write of many that is taken back in part is not undone: %s', ([_, code, stored, undone]) => {
  const counts = { insertedCount: stored, matchedCount: 0, deletedCount: 0, upsertedCount: 0 };
  const result = counts as unknown as mongo.BulkWriteResult;
  const error = new mongo.MongoBulkWriteError({ message: '', code, writeErrors: [] }, result);
  expect([isTransientError(error), isUndone(error)]).toEqual([true, undone]);
});
