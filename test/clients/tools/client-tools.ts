import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheFolder, keyOf } from '#local/folders.ts';
import { withLock } from '#local/process/lock.ts';
import { runToEnd, stopAllProcesses } from '#local/process/owned-process.ts';
import { ensurePrograms, type Program } from '#local/programs/ensure-programs.ts';
import { type Log, SetupError } from '#local/setup-error.ts';

/** openapi-generator (Apache-2.0), as Maven's central repository has it. */
const GENERATOR = {
  artifact: 'org.openapitools:openapi-generator-cli:7.25.0',
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
};

/** What runs where it is fetched already. */
const RUN: Program[] = [
  { names: ['javac'], apt: 'default-jdk-headless', brew: 'openjdk' },
  { names: ['php'], apt: 'php-cli', brew: 'php' },
];
/** What only fetches. */
const FETCH: Program[] = [
  { names: ['mvn'], apt: 'maven' },
  { names: ['python3'], apt: 'python3-venv', brew: 'python' },
];

const POM = join(import.meta.dirname, 'pom.xml');
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const PACKAGES = ['package.json', 'package-lock.json'].map((file) => join(import.meta.dirname, 'npm', file));

/** Other versions get another folder: an old one is never used for them. */
const folder = join(
  cacheFolder,
  `clients-${keyOf([GENERATOR.sha256, ...[POM, REQUIREMENTS, ...PACKAGES].map((file) => readFileSync(file, 'utf8'))].join())}`,
);

/** What makes clients from an OpenAPI document, and what they need to be compiled or imported. */
export const clientTools = {
  generator: join(folder, 'openapi-generator-cli.jar'),
  /** Libraries of Java clients, as javac's class path. */
  classPath: join(folder, 'java', '*'),
  /** A Python that finds mypy, and the packages of Python clients. */
  python: join(folder, 'python', 'bin', 'python3'),
  /** The versions of the packages of Python. */
  requirements: REQUIREMENTS,
  /** Packages of Node.js that make clients for TypeScript. */
  nodeModules: join(folder, 'node_modules'),
};

// Part of `npm run test:clients`.
if (import.meta.main) {
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  await provideClientTools(log).catch((error: Error) => {
    log(error.message);
    process.exitCode = 1;
  });
  await stopAllProcesses();
}

/**
 * Fetches what is missing, once for this user.
 *
 * @throws SetupError where a program is missing, or the generator is not the one that was pinned.
 */
async function provideClientTools(log: Log): Promise<void> {
  await ensurePrograms([...RUN, ...FETCH], log);
  await withLock('client-tools', log, async () => {
    if (existsSync(folder)) return;
    log('Fetching openapi-generator, and what clients for Python and TypeScript need…');
    const unfinished = `${folder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    await fetchGenerator(unfinished);
    await run(
      unfinished,
      ...maven('copy-dependencies', { outputDirectory: join(unfinished, 'java') }),
      '-f',
      POM,
    );
    await run(unfinished, 'python3', '-m', 'venv', join(unfinished, 'python'));
    const python = join(unfinished, 'python', 'bin', 'python3');
    await run(unfinished, python, '-m', 'pip', 'install', '--no-deps', '-r', REQUIREMENTS);
    for (const file of PACKAGES) copyFileSync(file, join(unfinished, basename(file)));
    await run(unfinished, 'npm', 'ci', '--ignore-scripts', '--prefix', unfinished);
    renameSync(unfinished, folder);
  });
}

async function fetchGenerator(into: string): Promise<void> {
  const { artifact, sha256 } = GENERATOR;
  await run(into, ...maven('copy', { artifact, outputDirectory: into, 'mdep.stripVersion': 'true' }));
  const jar = readFileSync(join(into, 'openapi-generator-cli.jar'));
  if (createHash('sha256').update(jar).digest('hex') === sha256) return;
  throw new SetupError(`${artifact} is not the file that was pinned: its SHA-256 is not ${sha256}.`);
}

function maven(goal: string, settings: Record<string, string>): [string, ...string[]] {
  const given = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  return ['mvn', '-q', '-B', `dependency:${goal}`, ...given];
}

function run(cwd: string, ...command: [string, ...string[]]): Promise<void> {
  return runToEnd({ name: command.slice(0, 4).join(' '), command, logFile: join(cwd, 'fetch.log') });
}
