import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../report/report.ts';

type Input = { value: number; row?: string; part?: string };

const FILE = join(import.meta.dirname, 'inputs.json');

/** Returns what a run of the benchmark measured of an input, where its rows have it: `<part> <value>` in the row's note. */
export function measured({ row, part }: Input, { rows }: Report): number | undefined {
  const note = rows.find(({ id }) => id === row)?.note ?? '';
  const [, value] = new RegExp(`(?:^|[ ,:])${part} ([0-9.]*[0-9])`).exec(note) ?? [];
  return value === undefined ? undefined : Number(value);
}

/** Puts into the model's inputs what a whole run has measured of them. */
export function refreshInputs(report: Report): void {
  const inputs = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Input>;
  for (const input of Object.values(inputs)) input.value = measured(input, report) ?? input.value;
  writeFileSync(FILE, `${JSON.stringify(inputs, null, 2)}\n`);
}
