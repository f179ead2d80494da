import { expect, test } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { Credential } from '#services/canary/http/credential.ts';
import { Customer } from '#services/canary/http/customer.ts';
import { customersWay, type WayIn } from '#services/canary/http/ways.ts';
import { Canary } from '#services/canary/rounds/canary.ts';
import { WayRounds } from '#services/canary/rounds/way-rounds.ts';
import type { Outcome } from '#services/canary/steps/steps.ts';
import { createLogger } from '#shared/observability/logger.ts';

const key = new Credential(() => 'a key', 60_000);
const failed = (step: Outcome['step'], more: Partial<Outcome> = {}): Outcome => ({
  ...{ step, form: '', result: 'failed', ms: 20, answer: `${step}!`, isAtDeadline: false, ...more },
});

/** Notes rounds of one way, each with the outcomes of its steps; without any, a good one. */
function waysAfter(...rounds: Outcome[][]): WayRounds {
  const way = customersWay('https://guias.example');
  const noted = new WayRounds(way, new Customer(way, key));
  for (const outcomes of rounds) noted.note({ outcomes, ...(outcomes.length === 0 && { goodMs: 400 }) });
  return noted;
}

test('a way by which each round fails at another step is at fault, as with a dead leg of a balancer', () => {
  expect(waysAfter([failed('create')]).report().fault).toBeUndefined();
  const rounds = waysAfter([], [failed('create')], [failed('print')]);
  expect(rounds.report()).toMatchObject({
    ...{ goodAgoMs: expect.any(Number), tookMs: 400 },
    fault: { step: 'print', rounds: 2, isLate: false, answer: 'print!' },
  });
  expect(rounds.inARow()).toContainEqual(expect.objectContaining({ step: 'print', rounds: 2 }));
  rounds.note({ outcomes: [], goodMs: 300 });
  expect(rounds.report()).toMatchObject({ tookMs: 300 });
  expect(rounds.report().fault).toBeUndefined();
});

test('what fails beside the label is a fault of its own, and no bad round', () => {
  const rounds = waysAfter();
  for (const _ of [1, 2]) rounds.note({ outcomes: [failed('quote')], goodMs: 300 });
  expect(rounds.report()).toMatchObject({ tookMs: 300, fault: { step: 'quote', rounds: 2 } });
});

test('a process that the DNS names no more is forgotten with its fault', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const gone: WayIn = { way: 'process', host: '10.0.0.1:3000', url, address: '127.0.0.1' };
  let processes = [gone];
  const canary = new Canary({
    customers: customersWay(url),
    processes: async () => processes,
    key,
    login: { username: 'guardia-entrada', password: key },
    reader: {} as never, // no round comes so far
    webhook: undefined,
    observe: () => {},
    log: createLogger('test', 'silent'),
  });
  canary.start();
  const faults = () => canary.report().ways.map(({ way, fault }) => [way, fault?.answer]);
  await expect.poll(faults).toEqual([
    ['customers', 'nadie escucha ahí'],
    ['process', 'nadie escucha ahí'],
  ]);
  processes = [];
  await expect.poll(faults).toEqual([['customers', 'nadie escucha ahí']]);
  canary.stop();
});
