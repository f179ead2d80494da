import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { expect, test } from 'vitest';
import { DatabaseClock } from '#shared/stores/database-clock.ts';

/** Returns a connection to a database that hangs before each of its first answers, for these times in ms. */
function hanging(...times: number[]): Connection {
  const command = async () => {
    await sleep(times.shift() ?? 0);
    return { localTime: new Date() };
  };
  return { db: { command } } as unknown as Connection;
}

test('the time is right after the database hung', async () => {
  const now = await new DatabaseClock(hanging(2_000)).now();
  expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(400);
});

test('of three slow answers the quickest holds', async () => {
  const database = hanging(2_400, 600, 2_400, 2_400);
  const now = await new DatabaseClock(database).now();
  expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(800);
});
