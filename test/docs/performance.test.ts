import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { type Report, withFigures } from '#test/bench/report/report.ts';

const read = (file: string) => readFileSync(join(repoRoot, file), 'utf8');

it('docs/performance.md has the figures of the last whole benchmark, and nobody changed them by hand', () => {
  const page = read('docs/performance.md');
  const report: Report = JSON.parse(read('test/bench/results/latest.json'));
  expect(page).toBe(withFigures(page, report));
  expect(page).toContain(`| ${report.rows[0]?.what} |`);
});
