import { expect } from 'vitest';
import type { ApiClient } from '#test/bench/load/api-client.ts';
import { inParallel } from '#test/bench/load/load.ts';
import type { Load } from './load.ts';

/** Returns the answers by status, and the longest time without a created guide or a label since then, in ms. */
export function describeOutcome(load: Load, since: number): string {
  const counts = Object.entries(Object.groupBy(load.answers, ({ status }) => String(status)))
    .map(([status, answers]) => `${answers?.length} × ${status}`)
    .join(', ');
  const ends = load.answers
    .filter(({ status, until }) => status === 200 && until > since)
    .map(({ until }) => until)
    .sort((one, other) => one - other);
  const pause = Math.max(...ends.map((end, i) => end - (ends[i - 1] ?? since)));
  return `${counts}; at most ${(pause / 1_000).toFixed(1)} s without a 200`;
}

/** Expects that each answer is right, and has one of these statuses. */
export function expectRight(load: Load, statuses: unknown[]): void {
  expect([...new Set(load.answers.flatMap(({ wrong }) => wrong ?? []))]).toEqual([]);
  const others = load.answers.map(({ status }) => status).filter((status) => !statuses.includes(status));
  expect([...new Set(others)]).toEqual([]);
}

/** Expects a label of each guide that was acknowledged. */
export async function expectKept(api: ApiClient, load: Load): Promise<void> {
  const numbers = [...load.acknowledged.values()].flatMap((given) => [...given]);
  expect(numbers.length).toBeGreaterThan(20);
  const labels = await inParallel(numbers, 8, (number) => api.label(number));
  await api.close();
  expect(labels.refusals).toEqual([]);
}
