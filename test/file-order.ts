import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { repoRoot } from '#local/folders.ts';
import { needsServer } from './fixtures/needs-server.ts';

/** Types, lint and the layout: a pull request that fails here needs no other answer. */
const RULES = /^test\/(check|house)\.test\.ts$/;
/** Where files are short and take long. */
const LONG = /^test\/(faults|examples|e2e)\/|^test\/(canary\/canary|docs\/commands)\.test|-faults\.test/;

/**
 * Orders the files of a run: first the rules of the house, then tests that need no server, which say within a minute what is
 * wrong. Of the others those that take longest come first, or one of them would run alone at the end. Vitest goes by the times
 * of the last run; where there was none it goes by sizes, which say little of a test that starts processes.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const hasTimes = files.every((file) => this.ctx.cache.getTestSpecificationResult(file));
    const rank = new Map(sorted.map((file) => [file, rankOf(relative(repoRoot, file.moduleId), hasTimes)]));
    return sorted.toSorted((one, other) => (rank.get(one) ?? 0) - (rank.get(other) ?? 0));
  }
}

const early = new Map<string, boolean>();

/** Whether a file belongs to those that a run begins with. */
export function isEarly(path: string): boolean {
  const known = early.get(path) ?? (RULES.test(path) || !(LONG.test(path) || needsServer(path)));
  early.set(path, known);
  return known;
}

function rankOf(path: string, hasTimes: boolean): number {
  if (RULES.test(path)) return 0;
  if (isEarly(path)) return 1;
  return hasTimes || LONG.test(path) ? 2 : 3;
}
