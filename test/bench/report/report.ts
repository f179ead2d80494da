import type { Result } from '../run.ts';
import type { Machine } from '../system/machine.ts';
import { median } from './statistics.ts';
import { TARGETS, type Target } from './targets.ts';

/** A row with its figures: the median of the rounds, and the least and the most of them. */
export type Row = Target & { value: number; least: number; most: number; verdict: string; note: string };

/** What a whole run came to; `results/latest.json` is the last one. */
export type Report = { date: string; machine: Machine; guidesStored: number; rows: Row[] };

/** In the order of the targets. @throws for a result that has no row: it would silently be left out. */
export function toRows(results: readonly Result[]): Row[] {
  const unknown = results.find(({ id }) => !TARGETS.some((target) => target.id === id));
  if (unknown) throw new Error(`No row ${unknown.id}`);
  return TARGETS.flatMap((target) => {
    const result = results.find(({ id }) => id === target.id);
    return result ? toRow(target, result) : [];
  });
}

function toRow(target: Target, { rounds, note = '' }: Result): Row {
  const value = median(rounds);
  const spread = { least: Math.min(...rounds), most: Math.max(...rounds) };
  return { ...target, value, ...spread, verdict: verdictOf(target, value), note };
}

function verdictOf({ better, target, never }: Target, value: number): string {
  const holds = (limit: number) => (better === 'more' ? value >= limit : value <= limit);
  if (target === undefined) return '';
  if (holds(target)) return 'target met';
  return never !== undefined && holds(never) ? 'holds' : 'MISSED';
}

/** Returns docs/performance.md with the report's figures between its two markers. */
export function withFigures(page: string, report: Report): string {
  const figures = `${captionOf(report)}, ${report.machine.database}:\n\n${markdownTable(report.rows)}`;
  return withTables(page, 'figures', figures);
}

/** Returns the page with `tables` between its marker of that name and the next `end`. */
export function withTables(page: string, marker: 'figures' | 'simulation', tables: string): string {
  const marked = new RegExp(`(?<=<!-- ${marker} -->\\n).*?(?=\\n<!-- end -->)`, 's');
  return page.replace(marked, () => `\n${tables}\n`);
}

/** Says when and on what the figures were measured. */
export function captionOf({ date, machine }: Report): string {
  return `${date}, ${machine.cores} cores (${machine.processor}), Node ${machine.node}, ${machine.chromium}`;
}

export function markdownTable(rows: readonly Row[]): string {
  const cells = [HEADER, ['---', '--:', '--:', '---'], ...rows.map(cellsOf)];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Returns what the rows have beside their figures: CPU by process, versions, settings, answers of others. */
export function notesOf(rows: readonly Row[]): string {
  return rows
    .filter(({ note }) => note)
    .map(({ what, note }) => `- ${what.replace('… ', '')}: ${note}`)
    .join('\n');
}

const HEADER = ['what', 'measured (least–most)', 'target (limit)', 'verdict'];

function cellsOf({ what, unit, value, least, most, target, never, verdict }: Row): string[] {
  const spread = least === most ? '' : ` (${short(least)}–${short(most)})`;
  const limit = never === undefined ? '' : ` (${never})`;
  return [
    what,
    `${short(value)} ${unit}${spread}`,
    target === undefined ? '' : `${target} ${unit}${limit}`,
    verdict,
  ];
}

/** Three digits that mean something. */
export function short(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
