import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ensurePrograms } from '#local/programs/ensure-programs.ts';
import { UserStore } from '#shared/auth/user-store.ts';
import { Client } from '#test/fixtures/client.ts';
import { underLoad } from '../clients/under-load.ts';
import { type FaultSystem, startFaultSystem } from '../system/system.ts';

// The services' clock that tells the day jumps; that which only runs (monotonic) does not, just as when an
// administrator or NTP sets a machine's clock. Redis and MongoDB keep theirs: libfaketime does not get on with them.

const HOUR = 3_600;
const folder = mkdtempSync(join(tmpdir(), 'clock-'));
const clockFile = join(folder, 'offset');
let system: FaultSystem;
/** How far the clock is off, in seconds. */
const setClock = (offset: number) => writeFileSync(clockFile, `${offset < 0 ? '' : '+'}${offset}`);
/** What time the API believes it is, by the `Date` of its answers, compared with ours, in hours. */
async function hoursOff(): Promise<number> {
  const { headers } = await fetch(`${system.url}/health/live`);
  return Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / HOUR / 1_000) || 0; // never -0
}

beforeAll(async () => {
  await ensurePrograms([{ names: ['faketime'], apt: 'faketime' }], () => {});
  setClock(0);
  system = await startFaultSystem({
    env: {
      JWT_TTL_S: String(1.5 * HOUR),
      LD_PRELOAD: execFileSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], {
        encoding: 'utf8',
      }).trim(),
      FAKETIME_TIMESTAMP_FILE: clockFile,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
});
afterAll(async () => {
  await system?.close();
  rmSync(folder, { recursive: true });
});

test.each([
  ['forward', 1],
  ['back again', 0],
  ['back', -1],
])(
  'the clock jumps an hour %s: tokens are good, the queue goes on, nothing is lost',
  async (where, hours) => {
    await underLoad(system, `the clock jumps an hour ${where}`, [], async () => {
      const from = performance.now();
      setClock(hours * HOUR);
      await vi.waitFor(async () => expect(await hoursOff()).toBe(hours), 5_000);
      await sleep(5_000);
      return { from };
    });
  },
);

test('a token ends by the new clock, and the next login is good', async () => {
  const demo = await Client.login(system.url);
  const session = '/api/auth/validate';
  expect((await demo.get(session)).status).toBe(200);
  setClock(HOUR); // it was taken an hour before the true time
  expect(await demo.get(session)).toMatchObject({ status: 401, body: { message: 'Token expirado' } });
  expect((await (await Client.login(system.url)).get(session)).status).toBe(200);
});

test('a user who is disabled is refused within ten seconds, also after the clock went back', async () => {
  setClock(0);
  const otro = await Client.login(system.url, 'otro');
  expect((await otro.get('/api/auth/validate')).status).toBe(200); // the API knows the user now
  setClock(-HOUR);
  await new UserStore(system.db).set('otro', { disabled: true });
  await vi.waitFor(async () => expect((await otro.get('/api/auth/validate')).status).toBe(401), {
    timeout: 10_000,
    interval: 200,
  });
});
