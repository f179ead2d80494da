import { createConnection } from 'mongoose';
import { expect, onTestFinished } from 'vitest';
import { digestOf } from '#services/api/keys/key.ts';
import { type Key, KeyStore } from '#services/api/keys/key-store.ts';
import { KeyUses } from '#services/api/keys/key-uses.ts';
import { KEYS } from '#shared/keys/key-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';
import { setClockAhead } from '#test/fixtures/wrong-clock.ts';

/** What is stored of keys goes by the database's clock (docs/contract.md "Keys"). */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const silent = { info: () => {}, warn: () => {} };

const test = storesTest
  .extend('keys', { scope: 'file' }, ({ stores }) => new KeyStore(stores.mongo))
  /** Makes a key. @param leftMs after which it ends. */
  .extend('make', { scope: 'file' }, ({ keys }) => async (username: string, leftMs?: number) => {
    const expiresAt = leftMs === undefined ? undefined : await keys.clock.now(leftMs);
    const made = await keys.create({ username, name: 'tienda', ...(expiresAt && { expiresAt }) }, false);
    return { key: made?.key as Key, digest: digestOf(made?.text ?? '') };
  })
  .extend('usedAt', { scope: 'file' }, ({ keys }) => async ({ username }: Key) => {
    const [stored] = await keys.list(username);
    return stored?.usedAt;
  });

test.for([
  ['ahead', DAY_MS],
  ['behind', -DAY_MS],
] as const)(
  'a key has its whole life, and no more, on a process whose clock is %s',
  async ([name, aheadMs], { keys, make, stores }) => {
    const { digest, key } = await make(`vida-${name}`, MINUTE_MS);
    setClockAhead(aheadMs);
    expect(await keys.findRecent(digest)).toMatchObject({ id: key.id });

    const ended = await make(`vida-${name}`);
    await modelOf(stores.mongo, KEYS).updateOne(
      { id: ended.key.id },
      { expiresAt: await keys.clock.now(-MINUTE_MS) },
    );
    expect(await new KeyStore(stores.mongo).findRecent(ended.digest)).toBeUndefined();
  },
);

test('the day of a use is that of the database', async ({ keys, make, usedAt }) => {
  const { digest, key } = await make('dia');
  setClockAhead(DAY_MS);
  await new KeyUses(keys, silent).note(digest, key);
  const today = (await keys.clock.now()).toISOString().slice(0, 10);
  expect((await usedAt(key))?.toISOString()).toBe(`${today}T00:00:00.000Z`);
});

test('the day of a use that MongoDB did not take is stored by a use a minute later', async ({
  make,
  stores,
  usedAt,
}) => {
  let fate: Fate = 'not allowed';
  const proxy = await startMongoProxy(stores.mongoUri, (command) =>
    command.update === 'keys' ? fate : 'done',
  );
  const mongo = await createConnection(proxy.uri).asPromise();
  onTestFinished(async () => {
    await mongo.close();
    await proxy.close();
  });
  const uses = new KeyUses(new KeyStore(mongo), silent);
  const { digest, key } = await make('despues');
  await uses.note(digest, key);
  fate = 'done';
  await uses.note(digest, key);
  expect(await usedAt(key)).toBeUndefined();
  passTime(MINUTE_MS);
  // The cache asks for the time at most once a millisecond.
  await expect
    .poll(async () => {
      await uses.note(digest, key);
      return usedAt(key);
    })
    .toBeInstanceOf(Date);
});
