import type { Connection } from 'mongoose';
import { expect, test } from 'vitest';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

/** How much further the time is than the wall clock of this machine, in ms. */
let passed = 0;

/** Returns a connection to a database that hangs before each of its first answers, for these times in ms. */
function hanging(...times: number[]): Connection {
  const command = async () => {
    const ms = times.shift() ?? 0;
    passTime(ms);
    passed += ms;
    return { localTime: new Date(Date.now() + passed) };
  };
  return { db: { command } } as unknown as Connection;
}

test.for([
  ['the time is right after the database hung', [2_000], 400],
  ['of three slow answers the quickest holds', [2_400, 600, 2_400], 800],
] as const)('%s', async ([, times, mostMs]) => {
  const now = await new DatabaseClock(hanging(...times)).now();
  expect(Math.abs(now.getTime() - Date.now() - passed)).toBeLessThan(mostMs);
});

test('of calls that come before the first measure each gets the right time', async () => {
  const clock = new DatabaseClock(hanging(300));
  const first = clock.now();
  const others = [clock.now(), new Promise(setImmediate).then(() => clock.now())];
  for (const now of await Promise.all([first, ...others]))
    expect(Math.abs(now.getTime() - Date.now() - passed)).toBeLessThan(400);
});
