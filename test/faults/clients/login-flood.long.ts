import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { call } from '#test/fixtures/client.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';
import { floodWithLogins } from './flood-client.ts';
import { keepFigures } from './under-load.ts';

const SECONDS = 20;
/** Longest time that a right login may take, in ms. */
const PROMPT = 1_000;
/** Interval between right logins, in ms. */
const INTERVAL = 250;
/** How often a right login comes again where the service is busy, as a client does. */
const MAX_TRIES = 20;
const ATTACKED = 'lectura';

const test = faultTest
  .override('wanted', { env: { TRUST_PROXY: '127.0.0.1' } })
  .extend('api', { scope: 'file' }, ({ system }) => system.apis[0] as Part)
  /** Logs in rightly, again where the service is busy. @returns the last status, and time in ms and tries until then. */
  .extend('login', { scope: 'file' }, ({ api }) => async (username: string, from: string) => {
    const began = performance.now();
    for (let tries = 1; ; tries++) {
      const { status, headers } = await call(`${api.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'x-username': username, 'x-password': 'demo1234', 'x-forwarded-for': from },
      });
      if (status !== 503 || tries === MAX_TRIES) {
        return { status, tries, ms: Math.round(performance.now() - began) };
      }
      await sleep(1_000 * Number(headers.get('retry-after')));
    }
  });

/** Sends 1 000 wrong logins a second of one user. @returns how many answers of which status came. */
function flood(url: string, addresses: number): Promise<Record<string, number>> {
  const rate = { perSecond: 1_000, seconds: SECONDS, connections: 1_500 };
  return floodWithLogins({
    port: Number(new URL(url).port),
    ...rate,
    user: ATTACKED,
    addresses,
  });
}

test.for([
  ['200 addresses', 200],
  ['one address', 1],
] as const)(
  'while 1 000 wrong logins a second come from %s, right ones are prompt, and the attacked user is not locked out',
  async ([from, addresses], { api, login }) => {
    expect(await login(ATTACKED, '203.0.113.1')).toMatchObject({ status: 200 });
    const attack = flood(api.url, addresses);
    let over = false;
    const refused = attack.finally(() => {
      over = true;
    });

    const stranger = login(ATTACKED, '203.0.113.2'); // from an address that nobody knows
    const right: Awaited<ReturnType<typeof login>>[] = [];
    for (let turn = 0; !over; turn++) {
      const ofAnother = login('otro', `192.0.2.${turn % 250}`);
      right.push(await login(ATTACKED, '203.0.113.1'), await ofAnother);
      await sleep(INTERVAL);
    }
    const slowest = Math.max(...right.map(({ ms }) => ms));
    const { tries, status } = await stranger;
    const fault = `1 000 wrong logins a second from ${from}`;
    keepFigures({ fault, right: right.length, slowest, tries, refused: await refused });
    expect([...new Set(right.map((one) => one.status))]).toEqual([200]);
    expect(slowest).toBeLessThan(PROMPT);
    expect(status).toBe(200);
    expect(Object.keys(await refused).filter((one) => !['401', '408', '429', '503'].includes(one))).toEqual(
      [],
    );
  },
);
