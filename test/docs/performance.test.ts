import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { input } from '#test/bench/capacity/fleet.ts';
import { withCapacity } from '#test/bench/capacity/tables.ts';
import { type Report, withFigures } from '#test/bench/report/report.ts';

const read = (file: string) => readFileSync(join(repoRoot, file), 'utf8');

it('docs/performance.md has the figures of the last whole benchmark, and nobody changed them by hand', () => {
  const page = read('docs/performance.md');
  const report: Report = JSON.parse(read('test/bench/results/latest.json'));
  expect(page).toBe(withFigures(page, report));
  expect(page).toContain(`| ${report.rows[0]?.what} |`);
});

it('docs/performance.md has the tables of the capacity model', () => {
  const page = read('docs/performance.md');
  expect(page).toBe(withCapacity(page));
  expect(page).toContain('| labels a second at peak | 300 | 3 000 | 30 000 |');
});

it("the capacity model's costs of a label are those of the last whole benchmark", () => {
  const report: Report = JSON.parse(read('test/bench/results/latest.json'));
  const { note = '' } = report.rows.find(({ id }) => id === 'labels') ?? {};
  const costOf = (part: string) => Number(new RegExp(` ${part} ([0-9.]+)`).exec(note)?.[1]);
  expect(input('chromium')).toBe(costOf('chromium'));
  expect(input('labelWorker')).toBe(costOf('label-worker'));
  expect(input('apiLabel')).toBe(costOf('api'));
  expect(input('branchesLabel')).toBe(costOf('branches'));
  expect(input('redisLabel')).toBe(costOf('redis'));
  expect(input('databaseLabel')).toBe(costOf('database'));
  const costs = [...note.matchAll(/[a-z] ([0-9]+\.[0-9]{2})/g)].map(([, cost]) => Number(cost));
  const computed = (1_000 * report.machine.cores) / costs.reduce((sum, one) => sum + one);
  const measured = report.rows.find(({ id }) => id === 'labels')?.value ?? 0;
  expect(Math.abs(computed / measured - 1)).toBeLessThan(0.1);
});
