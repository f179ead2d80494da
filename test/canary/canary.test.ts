import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test as base, expect } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { Credential } from '#services/canary/http/credential.ts';
import { Customer } from '#services/canary/http/customer.ts';
import { customersWay, type WayIn } from '#services/canary/http/ways.ts';
import { roundsPage } from '#services/canary/page.ts';
import { Canary, type CanaryOptions } from '#services/canary/rounds/canary.ts';
import { WayRounds } from '#services/canary/rounds/way-rounds.ts';
import type { Outcome } from '#services/canary/steps/steps.ts';
import { goodMsOf } from '#shared/canary/report.ts';
import { createLogger } from '#shared/observability/logger.ts';

/** A fault is sure five seconds after its first round. */
const POLL = { timeout: 30_000 };
/** The first of each list that the canary reads. */
const PLACES = [{ Codigo: 'MEX01', Sucursal: 'MEX01', Desde: '06600', SEND_GUIA: '100000000000' }];

const key = new Credential(() => 'a key', 60_000);
const failed = (step: Outcome['step'], more: Partial<Outcome> = {}): Outcome => ({
  ...{ step, form: '', result: 'failed', ms: 20, answer: `${step}!`, isAtDeadline: false, ...more },
});

/** Notes rounds of one way, each with the outcomes of its steps; without any, a good one. */
function waysAfter(...rounds: Outcome[][]): WayRounds {
  const way = customersWay('https://guias.example');
  const noted = new WayRounds(way, new Customer(way, key));
  for (const outcomes of rounds)
    noted.note({ outcomes, skipped: [], ...(outcomes.length === 0 && { goodMs: 400 }) });
  return noted;
}

base('a way by which each round fails at another step is at fault, as with a dead leg of a balancer', () => {
  expect(waysAfter([failed('create')]).report().fault).toBeUndefined();
  const rounds = waysAfter([], [failed('create')], [failed('print')]);
  expect(rounds.report()).toMatchObject({
    ...{ goodAgoMs: expect.any(Number), tookMs: 400 },
    fault: { step: 'print', isLate: false, answer: 'print!' },
  });
  rounds.note({ outcomes: [], skipped: [], goodMs: 300 });
  expect(rounds.report()).toMatchObject({ tookMs: 300, fault: { step: 'print' } });
  rounds.note({ outcomes: [], skipped: [], goodMs: 300 });
  expect(rounds.report().fault).toBeUndefined();
});

base('what fails beside the label is a fault of its own, and no bad round', () => {
  const rounds = waysAfter();
  for (const _ of [1, 2]) rounds.note({ outcomes: [failed('quote')], skipped: [], goodMs: 300 });
  expect(rounds.report()).toMatchObject({ tookMs: 300, fault: { step: 'quote' } });
});

const processAt = (host: string, url: string): WayIn => ({ way: 'process', host, url, address: '127.0.0.1' });

/** These tests wait for rounds, each beside the others. */
const test = base
  /** Starts a canary for this test, by these ways. */
  .extend('canaryOf', ({ onTestFinished }) => (customers: string, more: Partial<CanaryOptions> = {}) => {
    const canary = new Canary({
      customers: customersWay(customers),
      processes: undefined,
      newKey: () => new Credential(() => 'a key', 60_000),
      login: { username: 'guardia-entrada', password: key },
      reader: {} as never, // no round comes so far
      webhook: undefined,
      observe: () => {},
      log: createLogger('test', 'silent'),
      ...more,
    });
    canary.start();
    onTestFinished(() => canary.stop());
    return canary;
  })
  /** Starts a service for this test, whose answer is the status and what `codigo` says. */
  .extend('serve', ({ onTestFinished }) => async (answer: (path: string) => [number, string?]) => {
    const server = createServer(({ url = '' }, response) => {
      const [status, codigo] = answer(url);
      response.writeHead(status).end(JSON.stringify({ codigo, data: PLACES }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

test.concurrent('a process that the DNS names no more is forgotten with its fault', async ({
  canaryOf,
  expect,
}) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  let processes = [processAt('10.0.0.1:3000', url)];
  const canary = canaryOf(url, { processes: async () => processes });
  const faults = () => canary.report().ways.map(({ way, fault }) => [way, fault?.answer]);
  await expect.poll(faults, POLL).toEqual([
    ['customers', 'nadie escucha en esa dirección'],
    ['process', 'nadie escucha en esa dirección'],
  ]);
  processes = [];
  await expect.poll(faults, POLL).toEqual([['customers', 'nadie escucha en esa dirección']]);
  expect(canary.lacksProcesses).toBe(true);
});

test.concurrent('of more processes each is asked less often, which the report says', async ({
  canaryOf,
  expect,
  serve,
}) => {
  const url = await serve(() => [503]);
  const some = Array.from({ length: 24 }, (_, i) => processAt(`10.0.0.${i}:3000`, url));
  const { report } = await startedWith(some.slice(0, 12));
  expect(report().ways.map(({ everyMs }) => everyMs)).toEqual(Array(13).fill(undefined));
  const more = await startedWith(some);
  expect(more.report().ways.map(({ everyMs }) => everyMs)).toEqual([undefined, ...Array(24).fill(30_000)]);
  expect([goodMsOf({}), goodMsOf({ everyMs: 30_000 })]).toEqual([45_000, 90_000]);

  async function startedWith(processes: WayIn[]) {
    const canary = canaryOf(url, { processes: async () => processes });
    await expect.poll(() => canary.ways.length).toBe(processes.length + 1);
    return { report: () => canary.report() };
  }
});

test.concurrent('a key that all refuse is no fault, and what was one before is not known any more', async ({
  canaryOf,
  expect,
  serve,
}) => {
  let status = 503;
  const canary = canaryOf(await serve(() => [status]));
  const state = () => [canary.report().key, canary.report().ways[0]?.fault?.answer];
  await expect.poll(state, POLL).toEqual(['ok', '503']);
  status = 401;
  await expect.poll(state, POLL).toEqual(['refused', undefined]);
});

test.concurrent('an account that has reached its limit is no fault', async ({ canaryOf, expect, serve }) => {
  const canary = canaryOf(await serve(() => [429, 'cuota_excedida']));
  await expect.poll(() => canary.report().key, POLL).toBe('limited');
  expect(canary.report().ways[0]?.fault).toBeUndefined();
  const other = canaryOf(await serve(() => [429, 'demasiadas_solicitudes']));
  await expect.poll(() => other.report().ways[0]?.fault?.answer, POLL).toBe('429 demasiadas_solicitudes');
});

test.concurrent('one process that refuses the key, which others accept, is at fault', {
  timeout: 180_000,
}, async ({ canaryOf, expect, serve }) => {
  const processes = [processAt('10.0.0.1:3000', await serve(() => [401]))];
  let status = 200;
  const canary = canaryOf(await serve(() => [status]), { processes: async () => processes });
  const state = () => [canary.report().key, canary.report().ways[1]?.fault];
  await expect.poll(state, { timeout: 60_000 }).toEqual([
    'ok',
    expect.objectContaining({
      step: 'create',
      answer: '401: la API rechaza la llave del cliente de prueba',
    }),
  ]);
  status = 401;
  await expect.poll(state, { timeout: 60_000 }).toEqual(['refused', undefined]);
});

test.concurrent('its page says how long a step took as "Estado" says times', async ({
  canaryOf,
  expect,
  serve,
}) => {
  const canary = canaryOf(await serve(() => [503]));
  for (const [step, ms] of [
    ['manifest', 5_089],
    ['cancel', 412],
  ] as const)
    canary.checks.note([failed(step, { result: 'ok', ms, answer: '' })]);
  const took = [...roundsPage(canary).matchAll(/<td class="ok">Bien<\/td><td>(.*?)<\/td>/g)];
  expect(took.map(([, text]) => text)).toEqual(['5.1 s', '412 ms']);
});
