import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from '../folders.ts';
import { tryLock } from '../process/lock.ts';
import { startProcess } from '../process/owned-process.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import { type Log, SetupError } from '../setup-error.ts';
import { dockerConfig, engineRoot, home, prepareDockerRoot } from './docker-root.ts';

export type DockerEngine = {
  /** What `docker`, `docker compose` and testcontainers need in their environment, besides what this process has. */
  env: Record<string, string>;
  description: string;
  /** Whether it was started for this process, and nobody else uses it. */
  own: boolean;
  close(): Promise<void>;
};

/** Longest wait for dockerd to answer, in ms: with many images on a busy machine it takes some seconds. */
const START_TIMEOUT_MS = 60_000;

/**
 * Provides Docker Engine with Compose: the one that answers (`DOCKER_HOST`, or this machine's), otherwise one out of
 * Debian's packages, which ends with this process and finds its images again at the next start.
 *
 * @throws SetupError where there is none and none can be made.
 */
export async function provideDockerEngine(log: Log): Promise<DockerEngine> {
  if (answers({})) {
    return { env: {}, description: 'the Docker Engine that runs here', own: false, close: async () => {} };
  }
  await prepareDockerRoot(log);
  const release = await tryLock('docker-engine');
  if (!release) throw new SetupError(`Another process runs this engine: set DOCKER_HOST=${host}.`);
  log('Starting Docker Engine…');
  rmSync(socketFolder, { recursive: true, force: true });
  mkdirSync(socketFolder, { recursive: true });
  const engine = startProcess({
    name: 'Docker Engine',
    command: [
      // unshare itself ignores SIGTERM: where this process dies, SIGKILL ends unshare, and then SIGTERM the engine.
      ...(['setpriv', '--pdeathsig', 'KILL', '--'] as const),
      ...['unshare', '--mount', '--pid', '--fork', '--kill-child=TERM'],
      ...[
        'sh',
        join(import.meta.dirname, 'dockerd.sh'),
        engineRoot,
        socketFolder,
        join(home, 'data'),
        repoRoot,
      ],
    ],
    logFile: join(home, 'dockerd.log'),
    stopTimeoutMs: 30_000,
  });
  const env = {
    DOCKER_HOST: host,
    DOCKER_CONFIG: dockerConfig,
    PATH: `${process.env.PATH}:${join(engineRoot, 'usr/bin')}`,
    // Ports are published here. Inside a container, testcontainers asks the default bridge, which there is none of.
    TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1',
  };
  await waitUntilReady(engine, async () => answers(env), START_TIMEOUT_MS);
  const close = async () => {
    engine.kill('SIGTERM'); // to its group: unshare does not pass it on
    await engine.stop();
    release();
  };
  return { env, description: "Docker Engine of Debian's packages", own: true, close };
}

const socketFolder = join(home, 'run');
const host = `unix://${join(socketFolder, 'docker.sock')}`;

function answers(env: Record<string, string>): boolean {
  const { status } = spawnSync('docker', ['version'], {
    stdio: 'ignore',
    timeout: 5_000,
    env: { ...process.env, ...env },
  });
  return status === 0;
}
