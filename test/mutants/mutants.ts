import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { repoRoot } from '#local/folders.ts';
import { SetupError } from '#local/setup-error.ts';
import { untilPipeBreaks } from '#shared/commands/broken-pipe.ts';
import { runtimeImports } from '#test/fixtures/imports.ts';
import { installPackages } from '#test/fixtures/install-packages.ts';
import { needsServer } from '#test/fixtures/needs-server.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';

const HELP = `Usage: npm run mutants [-- <file>...]

Makes one wrong change after the other in files of services/ and shared/, a "mutant" each, and shows those that the tests
let pass. Without a file, takes those that differ from the branch main. Only tests that need no server are run:
the files that none of them reaches are named and left out. A mutant that survives is a case to add, or
changes nothing that anybody sees, or only a test with a server sees it.

  npm run mutants -- services/api/quotes/tariffs/price.ts
`;

const TOOLS = join(import.meta.dirname, 'tools');

/** What this program uses of `@stryker-mutator/core`. */
type StrykerModule = { Stryker: new (options: object) => { runMutationTest(): Promise<unknown> } };

process.exitCode = await untilPipeBreaks(async () => {
  try {
    const { values, positionals } = parseArgs({
      options: { help: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    if (values.help) process.stdout.write(HELP);
    else await tryMutants(positionals.length > 0 ? positionals.map(toRepositoryPath) : changedFiles());
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof SetupError ? error.message : (error as Error).stack}\n`);
    return 1;
  }
});

async function tryMutants(files: string[]): Promise<void> {
  const tests = [...testsWithoutServers()].filter(([, reached]) => files.some((file) => reached.has(file)));
  const tried = files.filter((file) => tests.some(([, reached]) => reached.has(file)));
  for (const file of files.filter((file) => !tried.includes(file))) {
    say(`${file} is left out: no test without servers reaches it.`);
  }
  if (tried.length === 0) return;
  installPackages(TOOLS, say);
  const { Stryker } = createRequire(join(TOOLS, 'package.json'))('@stryker-mutator/core') as StrykerModule;
  // Stryker runs the tests in a copy of the repository, which has another path.
  process.env.MUTANTS_TESTS = JSON.stringify(tests.map(([test]) => `**/${test}`));
  process.chdir(repoRoot);
  await new Stryker({
    mutate: tried,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: relative(repoRoot, join(import.meta.dirname, 'vitest.config.ts')) },
    tsconfigFile: 'none', // no such file: Stryker calls the compiler as it was before TypeScript 7
    tempDirName: '.local/mutants', // the copy
    cleanTempDir: 'always', // also after a failure
    ignorePatterns: ['.local'],
    concurrency: 1,
    reporters: ['progress-append-only', 'clear-text'],
    clearTextReporter: { reportTests: false, logTests: false },
    logLevel: 'warn',
    warnings: { slow: false }, // that constants of a module are tried with all tests
  }).runMutationTest();
}

/** Yields each test that neither needs a server nor loads a whole service, with the files that are loaded for it. */
function* testsWithoutServers(): Generator<[string, Set<string>]> {
  const ofServices = /^test\/(?!docs|ops|security|e2e|faults|examples)[^/]+\/.*\.test\.ts$/;
  for (const test of repositoryFiles.filter((path) => ofServices.test(path))) {
    const { files } = runtimeImports([test]);
    const loadsService = [...files].some((path) => /^services\/[^/]+\/app\.ts$/.test(path));
    if (!needsServer(test) && !loadsService) yield [test, files];
  }
}

/** @throws SetupError if the path names no source of a service. */
function toRepositoryPath(path: string): string {
  const file = relative(repoRoot, resolve(path));
  if (isSource(file) && repositoryFiles.includes(file)) return file;
  throw new SetupError(`${path} is no TypeScript file of services/ or shared/.`);
}

/** Returns the sources that differ from the branch `main`. @throws SetupError where git knows none. */
function changedFiles(): string[] {
  const changed = git('diff', '--name-only', '--diff-filter=d', '--merge-base', 'main');
  const untracked = git('ls-files', '--others', '--exclude-standard');
  const files = [...changed, ...untracked].filter(isSource);
  if (files.length === 0) say('No file of services/ or shared/ differs from main.');
  return files;
}

/** Returns the lines of its answer. @throws SetupError if it fails. */
function git(...words: string[]): string[] {
  const { status, stdout } = spawnSync('git', words, { cwd: repoRoot, encoding: 'utf8' });
  if (status !== 0) throw new SetupError('git compares nothing with a branch main here: name the files.');
  return stdout.split('\n');
}

function isSource(path: string): boolean {
  return /^(services|shared)\/.*\.ts$/.test(path);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
