import { expect, test } from 'vitest';
import { findUnwanted } from '#services/label-worker/batching/label-printer.ts';
import { FRESH_MS } from '#shared/printing/label-job.ts';

test('of a print with fresh labels, the one is left out that nobody waits for', async () => {
  const now = performance.now();
  const label = (key: string, ageMs: number) => ({ key, askedAt: now - ageMs });
  const labels = [label('fresh', 0), label('awaited', 2 * FRESH_MS), label('abandoned', 3 * FRESH_MS)];
  const asked: string[] = [];
  const awaited = async (keys: readonly string[]) => {
    asked.push(...keys);
    return keys.map((key) => key === 'awaited');
  };
  expect((await findUnwanted(labels, awaited)).map(({ key }) => key)).toEqual(['abandoned']);
  expect(asked).toEqual(['awaited', 'abandoned']);
});

test('while Redis does not answer, every label is printed', async () => {
  const labels = [{ key: 'old', askedAt: performance.now() - 2 * FRESH_MS }];
  expect(await findUnwanted(labels, () => Promise.reject(new Error('down')))).toEqual([]);
});
