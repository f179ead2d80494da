import { expect, test } from 'vitest';
import { afterFailure } from '#services/webhooks/retries.ts';
import type { Outcome } from '#services/webhooks/webhook-client.ts';

const NOW = new Date('2026-11-23T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Returns the pause before the next try, in ms. */
function pauseAfter(failures: number, retryAfterS?: number): number {
  const outcome = { ms: 1, status: 500, ...(retryAfterS !== undefined && { retryAfterS }) };
  const next = afterFailure({ failures }, outcome, NOW);
  if (!('pauseMs' in next)) throw new Error('it was switched off');
  return next.pauseMs;
}

test.for<[number, number]>([
  [0, 5_000],
  [1, MINUTE],
  [2, 5 * MINUTE],
  [3, 30 * MINUTE],
  [4, 2 * HOUR],
  [5, 5 * HOUR],
  [6, 10 * HOUR],
  [7, 12 * HOUR],
  [40, 12 * HOUR],
])('after %i failures the next try comes in %i ms, give or take a fifth', ([failures, ms]) => {
  const pauses = Array.from({ length: 200 }, () => pauseAfter(failures));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(0.8 * ms);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(1.2 * ms);
  expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(0.2 * ms);
});

test('Retry-After makes a pause longer, never shorter, and at most half a day', () => {
  expect(pauseAfter(0, 600)).toBe(10 * MINUTE);
  expect(pauseAfter(7, 1)).toBeGreaterThan(9 * HOUR);
  expect(pauseAfter(0, 1e9)).toBe(12 * HOUR);
});

test('the last try is five days after the first one', () => {
  const outcome = { ms: 1, failure: 'No se pudo conectar' };
  const since = (days: number) => ({
    failures: 17,
    failingSince: new Date(NOW.getTime() - days * 24 * HOUR),
  });
  expect(afterFailure(since(4.99), outcome, NOW)).toHaveProperty('pauseMs');
  expect(afterFailure(since(5), outcome, NOW)).toEqual({ disableReason: 'Cinco dias sin exito' });
});

test('what may be our own outage disables no webhook, and is tried again within a minute or so', () => {
  const failing = { failures: 17, failingSince: new Date(NOW.getTime() - 6 * 24 * HOUR) };
  const next = afterFailure(failing, { ms: 1, failure: 'No se encontro el servidor', mayBeOurs: true }, NOW);
  expect(next).toEqual({ pauseMs: expect.any(Number) });
  expect(Math.abs(('pauseMs' in next ? next.pauseMs : 0) - MINUTE)).toBeLessThanOrEqual(0.2 * MINUTE);
});

test("the canary's webhook is tried again every 15 s for ever, whatever it answers", () => {
  const failing = { failures: 17, failingSince: new Date(NOW.getTime() - 6 * 24 * HOUR), canaryOf: '' };
  const outcomes: Outcome[] = [
    { ms: 1, failure: 'No se pudo conectar' },
    { ms: 1, status: 410 },
    { ms: 1, status: 503, retryAfterS: 600 },
    { ms: 1, failure: 'No se encontro el servidor', mayBeOurs: true },
  ];
  for (const outcome of outcomes) expect(afterFailure(failing, outcome, NOW)).toEqual({ pauseMs: 15_000 });
});
