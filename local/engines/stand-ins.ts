import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from '../folders.ts';
import { root as documentDbRoot, ferretSource } from '../mongo/documentdb-root.ts';
import { prepareDocumentDb } from '../mongo/documentdb-setup.ts';
import { runToEnd } from '../process/run-to-end.ts';
import { findProgram } from '../programs/ensure-programs.ts';
import type { Log } from '../setup-error.ts';
import type { DockerEngine } from './docker-engine.ts';
import { debianRoot, home, prepareDockerRoot } from './docker-root.ts';

/** Makes compose.stand-ins.yml usable: images of Debian's packages, where no registry of images can be reached. */

const context = join(import.meta.dirname, 'stand-ins');
const NODE = 'guias/stand-in-node';
const DOCUMENTDB = 'guias/stand-in-documentdb:2'; // raise the number when documentdb.sh changes

/** What the engine must be able to pull, or the stand-ins are needed. */
const PULLED = 'redis:8.2.3';
/** Longest wait for a registry, in ms. */
const PULL_TIMEOUT_MS = 120_000;

/** Returns the Compose files to use: with the stand-ins, which it makes, where the engine cannot pull images. */
export async function composeFiles(engine: DockerEngine, log: Log): Promise<string[]> {
  const own = join(repoRoot, 'docker-compose.yml');
  if (docker(engine, ['pull', '--quiet', PULLED])) return [own];
  await makeStandIns(engine, log);
  return [own, join(import.meta.dirname, 'compose.stand-ins.yml')];
}

/** Returns what Compose and testcontainers need in their environment besides the engine's, for these Compose files. */
export function imageEnv(files: string[]): Record<string, string> {
  return {
    COMPOSE_FILE: files.join(':'),
    ...(files.length > 1 && {
      TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX: 'guias/stand-in',
      TESTCONTAINERS_RYUK_DISABLED: 'true', // has no stand-in: what a killed run leaves behind stays
    }),
  };
}

/** Imports what the stand-ins are built from; Compose builds them. */
async function makeStandIns(engine: DockerEngine, log: Log): Promise<void> {
  await prepareDockerRoot(log);
  if (!docker(engine, ['image', 'inspect', NODE])) {
    log('Importing a base image with Node.js, as no image can be pulled…');
    await run(engine, 'node.sh', debianRoot, process.execPath, npmFolder(), NODE);
  }
  await prepareDocumentDb(log);
  if (!docker(engine, ['image', 'inspect', DOCUMENTDB])) {
    log('Importing DocumentDB and FerretDB in place of MongoDB…');
    await run(engine, 'documentdb.sh', documentDbRoot, ferretSource, DOCUMENTDB);
  }
}

/** The folder of npm's package; its program is `bin/npm-cli.js` in there. */
function npmFolder(): string {
  return join(realpathSync(findProgram('npm') ?? ''), '../..');
}

function run({ env }: DockerEngine, script: string, ...args: string[]): Promise<void> {
  return runToEnd({
    name: script,
    command: ['sh', join(context, script), ...args],
    logFile: join(home, 'stand-ins.log'),
    env: { ...process.env, ...env },
  });
}

/** Tells whether the command of `docker` succeeds. */
function docker({ env }: DockerEngine, args: string[]): boolean {
  const options = { stdio: 'ignore', timeout: PULL_TIMEOUT_MS, env: { ...process.env, ...env } } as const;
  return spawnSync('docker', args, options).status === 0;
}
