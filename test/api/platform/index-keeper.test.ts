import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import { IndexKeeper } from '#services/api/platform/index-keeper.ts';
import { MANIFESTS } from '#shared/manifests/manifest-model.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test } from '#test/fixtures/stores.ts';

test('what is known of indexes holds for minutes while MongoDB does not answer', async ({ stores }) => {
  let isAway = true;
  const connection = {
    get db() {
      return isAway ? undefined : stores.mongo.db;
    },
  } as Connection;
  const keeper = new IndexKeeper(connection, console);
  keeper.add(MANIFESTS);
  const require = () => keeper.requireUnique(MANIFESTS);
  await expect(keeper.check()).rejects.toThrow();
  expect(require).toThrow();
  isAway = false;
  await keeper.check();
  isAway = true;
  await expect(keeper.check()).rejects.toThrow();
  expect(require).not.toThrow();
  expect(keeper.missing()).toEqual([]);
  passTime(300_000);
  expect(require).toThrow();
});
