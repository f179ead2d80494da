import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import type { Reporter, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';
import { repoRoot } from '#local/folders.ts';
import { isEarly } from './file-order.ts';

/**
 * Says how the files went that a run begins with, as soon as they have ended. After the summary prints the seconds that each folder
 * of tests took: imports, hooks and tests, summed over files. A whole run that passes with `UPDATE_DOCS=1` on two cores writes its
 * minutes into CONTRIBUTING.md.
 */
export class RunSummary implements Reporter {
  #vitest: Vitest | undefined;
  #early = new Set<string>();
  #earlyModules: TestModule[] = [];

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    const early = files.map(({ moduleId }) => moduleId).filter((id) => isEarly(relative(repoRoot, id)));
    this.#early = new Set(early.length < files.length ? early : []);
  }

  onTestModuleEnd(module: TestModule): void {
    if (!this.#early.delete(module.moduleId)) return;
    this.#earlyModules.push(module);
    if (this.#early.size > 0) return;
    const failed = this.#earlyModules.filter((file) => !file.ok()).map((file) => file.relativeModuleId);
    const result =
      failed.length === 0 ? `all ${this.#earlyModules.length} files pass` : `failed in ${failed.join(', ')}`;
    process.stdout.write(`\nWhat needs no server after ${seconds(performance.now())} s: ${result}\n\n`);
  }

  async onTestRunEnd(modules: readonly TestModule[], _: unknown, reason: TestRunEndReason): Promise<void> {
    const folders = Map.groupBy(modules, ({ relativeModuleId }) =>
      relativeModuleId.split('/').slice(0, 2).join('/'),
    );
    const rows = [...folders].map(([folder, files]) => ({
      folder,
      files: files.length,
      ms: sum(files.map(msOf)),
    }));
    process.stdout.write('\n  seconds  files  folder\n');
    for (const { folder, files, ms } of rows.toSorted((one, other) => other.ms - one.ms)) {
      process.stdout.write(`${seconds(ms).padStart(9)}${String(files).padStart(7)}  ${folder}\n`);
    }
    if (!process.env.UPDATE_DOCS || reason !== 'passed') return;
    const all = (await this.#vitest?.globTestSpecifications()) ?? [];
    if (modules.length === all.length && !this.#vitest?.config.testNamePattern)
      writeMinutes(performance.now());
  }
}

/** Writes how long this script of package.json took, start of the servers included, into the table of CONTRIBUTING.md. */
function writeMinutes(ms: number): void {
  if (availableParallelism() !== 2) return;
  const script = process.env.npm_lifecycle_event ?? '';
  const command = script === 'test' ? 'npm test' : `npm run ${script}`;
  const path = join(repoRoot, 'CONTRIBUTING.md');
  const row = new RegExp(`^(\\| \`${command}\` \\|.*\\| )\\d+ \\|$`, 'm');
  writeFileSync(path, readFileSync(path, 'utf8').replace(row, `$1${Math.ceil(ms / 60_000)} |`));
}

function msOf(module: TestModule): number {
  const { setupDuration, collectDuration, duration } = module.diagnostic();
  return setupDuration + collectDuration + duration;
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
