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

test('while the database is away, the last measure holds for what does not wait', async () => {
  let isAway = true;
  let asked = 0;
  const command = async () => {
    asked++;
    if (isAway) throw new Error('away');
    return { localTime: new Date(Date.now() + passed + 3_600_000) };
  };
  const connection = { db: { command } } as unknown as Connection;
  const [clock, other] = [new DatabaseClock(connection), new DatabaseClock(connection)];
  const differenceMs = () => clock.estimate() - Date.now() - passed;
  expect(Math.abs(clock.estimate() - Date.now())).toBeLessThan(400);
  await expect(clock.now()).rejects.toThrow('away');
  isAway = false;
  await clock.now();
  isAway = true;
  asked = 0;
  expect(Math.abs((await other.now()).getTime() - clock.estimate())).toBeLessThan(400);
  expect(asked).toBe(0);
  passTime(1_800_000);
  passed += 1_800_000;
  expect(Math.abs(differenceMs() - 3_600_000)).toBeLessThan(400);
  await expect(clock.now()).rejects.toThrow('away');
});
