import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import inputs from '#test/bench/capacity/inputs.json' with { type: 'json' };
import { measured } from '#test/bench/capacity/refresh.ts';
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

it("the capacity model's inputs are what the last whole benchmark measured of them", () => {
  const report: Report = JSON.parse(read('test/bench/results/latest.json'));
  const known = Object.values(inputs).filter((input) => measured(input, report) !== undefined);
  expect(known.length).toBeGreaterThan(5);
  expect(known.map(({ value }) => value)).toEqual(known.map((input) => measured(input, report)));
});

it('the capacity model gives for the machine of the benchmark what was measured there', () => {
  const report: Report = JSON.parse(read('test/bench/results/latest.json'));
  const { note = '', value = 0 } = report.rows.find(({ id }) => id === 'labels') ?? {};
  const costs = [...note.matchAll(/[a-z] ([0-9]+\.[0-9]{2})/g)].map(([, cost]) => Number(cost));
  const computed = (1_000 * report.machine.cores) / costs.reduce((sum, one) => sum + one);
  expect(Math.abs(computed / value - 1)).toBeLessThan(0.1);
});
