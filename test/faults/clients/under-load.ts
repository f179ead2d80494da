import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import type { FaultSystem } from '../system/system.ts';
import { type Answer, Load, type What } from './load.ts';
import { expectRight, longestPause } from './load-outcome.ts';

/** The long form runs alone, has more of everything, and takes its time. */
export const long = process.env.FAULTS === 'long';
/** Longest time without service after a fault has ended or its part was replaced, in ms, unless the fault sets less. */
const RESUMED = 10_000;
/** In the short form, which shares the cores with other tests. */
const RESUMED_SHORT = 20_000;
/** Gets the figures of each fault, one line of JSON each. */
const figuresFile = join(repoRoot, '.local', 'faults.jsonl');

type Figures = Record<string, unknown>;

/**
 * Injects a fault while customers create guides and ask for labels, waits until they are served as before, and checks
 * every answer and every guide: none wrong, lost, duplicated or hanging, and service back in time.
 *
 * @param may statuses that the fault may cause beside those that are always right.
 * @param inject causes the fault; returns the moment (`performance.now()`) from which the service is to resume, within how many ms where
 * that is promised, and figures to keep.
 */
export async function underLoad(
  system: FaultSystem,
  name: string,
  may: readonly Answer['status'][],
  inject: (load: Load) => Promise<{ from: number; within?: number } & Figures>,
): Promise<Load> {
  const load = await Load.start(system.url, { customers: long ? 24 : 8 });
  await load.waitForStatus('label', 200, 20);
  const { from, within = RESUMED, ...figures } = await inject(load);
  await load.waitForStatus('create', 200, 20);
  await load.waitForStatus('label', 200, 20);
  await load.stop();
  keep(name, load, from, figures);
  expectRight(load, [200, 400, ...may]); // 400 is the answer to an uncovered postal code
  await expectGuides(load, system.db);
  for (const what of ['create', 'label'] as const) {
    expect(longestPause(load.of(what, 200), from)).toBeLessThan(long ? within : RESUMED_SHORT);
  }
  return load;
}

/** Expects every acknowledged guide under its number, and one guide for each key at most. */
async function expectGuides(load: Load, db: Connection): Promise<void> {
  const stored = await db
    .collection<{ _id: string; guide: { Producto: { Contenido: string } } }>('guides')
    .find({}, { projection: { 'guide.Producto.Contenido': 1 } })
    .toArray();
  const numbers = new Map<string, string[]>();
  for (const { _id, guide } of stored) {
    const key = guide.Producto.Contenido;
    numbers.set(key, [...(numbers.get(key) ?? []), _id]);
  }
  for (const [key, given] of load.acknowledged) {
    const kept = numbers.get(key) ?? [];
    expect(kept.length, 'guides of one key').toBeLessThan(2);
    expect(kept, 'what was acknowledged').toEqual(expect.arrayContaining([...given]));
  }
}

/** Keeps the number of answers by status, the slowest one and the longest pause. */
function keep(fault: string, load: Load, from: number, more: Figures): void {
  const of = (what: What) => {
    const answers = load.of(what);
    const count: Record<string, number> = {};
    for (const { status } of answers) count[status] = (count[status] ?? 0) + 1;
    const slowestMs = Math.round(Math.max(...answers.map((one) => one.until - one.from)));
    return { ...count, slowestMs, pauseMs: Math.round(longestPause(load.of(what, 200), from)) };
  };
  keepFigures({ fault, create: of('create'), label: of('label'), ...more });
}

export function keepFigures(figures: Figures): void {
  mkdirSync(join(repoRoot, '.local'), { recursive: true });
  appendFileSync(figuresFile, `${JSON.stringify(figures)}\n`);
}
