import type { Reporter, TestModule } from 'vitest/node';

/** Prints, after the summary, the seconds that each folder of tests took: imports, hooks and tests, summed over files. */
export default class SecondsByFolder implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
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
      process.stdout.write(`${(ms / 1_000).toFixed(1).padStart(9)}${String(files).padStart(7)}  ${folder}\n`);
    }
  }
}

function msOf(module: TestModule): number {
  const { setupDuration, collectDuration, duration } = module.diagnostic();
  return setupDuration + collectDuration + duration;
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
