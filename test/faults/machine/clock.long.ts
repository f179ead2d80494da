import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { Client } from '#test/fixtures/client.ts';
import { underLoad } from '../clients/under-load.ts';
import { test as faultTest, type Wanted } from '../system/system.ts';

// The services' clock that tells the day jumps; that which only runs (monotonic) does not, just as when an
// administrator or NTP sets a machine's clock. Redis and MongoDB keep theirs: libfaketime does not get on with them.

const HOUR = 3_600;

const test = faultTest
  /** Sets how far the clock is off, in seconds. */
  .extend(
    'setClock',
    { scope: 'file' },
    ({ folder }) =>
      (offset: number) =>
        writeFileSync(join(folder, 'offset'), `${offset < 0 ? '' : '+'}${offset}`),
  )
  .override('wanted', { scope: 'file' }, async ({ folder, setClock }): Promise<Wanted> => {
    setClock(0);
    const library = execFileSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' });
    return {
      env: {
        JWT_TTL_S: String(1.5 * HOUR),
        LD_PRELOAD: library.trim(),
        FAKETIME_TIMESTAMP_FILE: join(folder, 'offset'),
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
    };
  })
  /** What time the API believes it is, by the `Date` of its answers, compared with ours, in hours. */
  .extend('hoursOff', { scope: 'file' }, ({ system }) => async () => {
    const { headers } = await fetch(`${system.url}/health/live`);
    return Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / HOUR / 1_000) || 0; // never -0
  });

test.for([
  ['forward', 1],
  ['back again', 0],
  ['back', -1],
] as const)(
  'when the clock jumps an hour %s, tokens stay valid, the queue goes on and nothing is lost',
  async ([where, hours], { hoursOff, setClock, system }) => {
    await underLoad(system, `the clock jumps an hour ${where}`, [], async () => {
      const from = performance.now();
      setClock(hours * HOUR);
      await vi.waitFor(async () => expect(await hoursOff()).toBe(hours), 5_000);
      await sleep(5_000);
      return { from };
    });
  },
);

test('a token expires by the new clock, and the next login succeeds', async ({ setClock, system }) => {
  const demo = await Client.login(system.url);
  const session = '/api/auth/validate';
  expect((await demo.get(session)).status).toBe(200);
  setClock(HOUR); // it was taken an hour before the true time
  expect(await demo.get(session)).toMatchObject({ status: 401, body: { message: 'Token expirado' } });
  expect((await (await Client.login(system.url)).get(session)).status).toBe(200);
});
