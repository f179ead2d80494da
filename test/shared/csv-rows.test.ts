import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { LineReport, readRows } from '#shared/commands/csv.ts';
import { test } from '#test/fixtures/folder.ts';

/** Rows enough for ten pieces of a file; each is read and parsed by itself. */
const ROWS = 20_000;

/** Reads a file whose row `n` is `NNNNN,Peñón n`, unless `changed` has another line for it. */
async function read(folder: string, changed: Record<number, string> = {}) {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const line = index + 2;
    return changed[line] ?? `${String(line).padStart(5, '0')},Peñón ${line}`;
  });
  const path = join(folder, 'in.csv');
  await writeFile(path, ['A,B', ...rows].join('\r\n'));
  const report = new LineReport();
  const read = new Map<number, string>();
  for await (const { line, cells } of readRows(path, ['A', 'B'], report)) read.set(line, cells.B);
  return { report: String(report), read };
}

describe('a file of many pieces', () => {
  test('loses no row but those with a wrong quote, and names their lines', async ({ folder }) => {
    const wrong = { 7: '"a,b', 8: '"a"b,c', 9000: 'a"b,c', 9002: 'a,"b', 20001: '"' };
    const { report, read: rows } = await read(folder, { ...wrong, 9001: '"x, y","z ""w"""', 12345: '' });
    expect(report.split('\n')).toEqual(
      Object.keys(wrong).map((line) => `  linea ${line}: comillas mal puestas o sin cerrar`),
    );
    expect(rows.size).toBe(ROWS - Object.keys(wrong).length - 1);
    expect([rows.get(9), rows.get(9_001), rows.get(9_003)]).toEqual(['Peñón 9', 'z "w"', 'Peñón 9003']);
  });
});
