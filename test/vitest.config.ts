import { spawnSync } from 'node:child_process';
import { defineConfig } from 'vitest/config';
import { downloadedMongod } from '#local/mongo/mongod.ts';
import { findProgram } from '#local/programs/ensure-programs.ts';
import { FileOrder } from './file-order.ts';
import { DEADLINE_MS } from './fixtures/deadline.ts';
import { RunSummary } from './run-summary.ts';

// All faults and nothing else, one file after the other, so that "Estado" is held to its time; otherwise the most telling run.
const faults = process.env.FAULTS === 'long';

/** Tests of what only MongoDB's own server can do; where there is none, the start of a run says so. */
const mongod = findProgram('mongod') ?? (await downloadedMongod());
if (!mongod) process.stderr.write('There is no mongod here: tests named *.mongod.ts do not run.\n');

const mongodump = findProgram('mongodump');
if (!mongodump) process.stderr.write('There is no mongodump here: tests named *.mongodump.ts do not run.\n');

/** An S3-compatible server: go install github.com/versity/versitygw/cmd/versitygw@latest */
const versitygw = findProgram('versitygw');
if (!versitygw) process.stderr.write('There is no versitygw here: tests named *.versitygw.ts do not run.\n');

/** Tests of processes in user namespaces of their own, which a chroot and most containers forbid. */
const namespaces = spawnSync('unshare', ['--user', 'true']).status === 0;
if (!namespaces) {
  process.stderr.write('This system allows no user namespaces: tests named *.namespaces.ts do not run.\n');
}

/** Languages of examples that not every machine has. */
for (const name of ['python3', 'php'].filter((name) => !findProgram(name))) {
  process.stderr.write(`There is no ${name} here: examples in that language are not tried.\n`);
}

/** Clients in other languages take a minute and a half: `npm run test:clients` fetches their tools, and runs them. */
const clients = process.env.CLIENTS === '1';

export default defineConfig({
  plugins: [
    {
      name: 'own-reporter',
      // A plugin and not `reporters`, which `--reporter` on the command line replaces.
      configureVitest: ({ vitest }) => void vitest.config.reporters.push(new RunSummary()),
    },
  ],
  test: {
    dir: 'test',
    include: faults
      ? ['**/faults/**/*.{test,long}.ts', '**/*-faults.{test,long}.ts']
      : [
          '**/*.test.ts',
          ...(mongod ? ['**/*.mongod.ts'] : []),
          ...(mongodump ? ['**/*.mongodump.ts'] : []),
          ...(versitygw ? ['**/*.versitygw.ts'] : []),
          ...(clients ? ['**/*.clients.ts'] : []),
          ...(namespaces ? ['**/*.namespaces.ts'] : []),
        ],
    globalSetup: ['./test/fixtures/global-programs.ts', './test/fixtures/global-setup.ts'],
    // Real servers and a real browser on two cores: slow is not wrong, hanging is.
    testTimeout: DEADLINE_MS,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    expect: { poll: { timeout: 30_000 } },
    // Each file has its own database and queue prefix, but all share the machine's cores. Much of their time they wait.
    maxWorkers: faults ? 1 : 3,
    sequence: { sequencer: FileOrder },
    // Files share a process and its modules: to load them for each file took half of the CPU. A fault's run is one file's own.
    isolate: faults,
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default'],
  },
});
