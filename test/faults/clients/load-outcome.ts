import { expect } from 'vitest';
import type { ApiClient } from '#test/bench/load/api-client.ts';
import { inParallel } from '#test/bench/load/load.ts';
import type { Answer, Load } from './load.ts';

/** Returns the answers by status, and the longest pauses since then: without a created guide, and without a label. */
export function describeOutcome(load: Load, since: number): string {
  const parts = (['create', 'label'] as const).map((what) => {
    const counts = Object.entries(Object.groupBy(load.of(what), ({ status }) => String(status)))
      .map(([status, answers]) => `${answers?.length} × ${status}`)
      .join(', ');
    const seconds = longestPause(load.of(what, 200), since) / 1_000;
    return `${what} ${counts}, at most ${seconds.toFixed(1)} s without a 200`;
  });
  return parts.join('; ');
}

/** Returns the longest time without one of these answers, after `since`, in ms. */
export function longestPause(answers: Answer[], since: number): number {
  const ends = answers.map(({ until }) => until).filter((until) => until > since);
  return Math.max(...ends.sort((one, other) => one - other).map((end, i) => end - (ends[i - 1] ?? since)));
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
