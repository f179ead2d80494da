import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, makeTemporaryFolder } from './folders.ts';
import { provideMongo } from './mongo/mongo.ts';
import { stopAllProcesses } from './process/owned-process.ts';
import { provideChromium } from './programs/chromium.ts';
import { ensurePrograms, type Program } from './programs/programs.ts';
import { provideRedis } from './programs/redis.ts';
import type { Log } from './setup-error.ts';

export type TestServers = {
  /** Take a database of your own: its name in the path. */
  mongoUri: string;
  /** Take a key prefix of your own. */
  redisUrl: string;
  chromiumPath: string;
  /** An empty folder for logs and files, removed by `close`. */
  folder: string;
  close(): Promise<void>;
};

/** What the tests read labels with: pdftoppm, pdfinfo, pdffonts and zbarimg. */
const labelReaders: Program[] = [
  { names: ['pdftoppm'], apt: 'poppler-utils', brew: 'poppler' },
  { names: ['pdfinfo'], apt: 'poppler-utils', brew: 'poppler' },
  { names: ['pdffonts'], apt: 'poppler-utils', brew: 'poppler' },
  { names: ['zbarimg'], apt: 'zbar-tools', brew: 'zbar' },
];

/**
 * The servers of a test run, empty and for it alone: containers where a Docker engine runs, otherwise the
 * programs that `npm start` uses. `TEST_SERVERS=docker` or `TEST_SERVERS=local` chooses.
 */
export async function provideTestServers(log: Log): Promise<TestServers> {
  const folder = makeTemporaryFolder(join(cacheFolder, 'tests'));
  try {
    const [servers, chromiumPath] = await Promise.all([
      useDocker() ? containers() : programs(folder, log),
      provideChromium(log),
      ensurePrograms(labelReaders, log),
    ]);
    const close = async () => {
      await servers.close();
      rmSync(folder, { recursive: true, force: true });
    };
    return { ...servers, chromiumPath, folder, close };
  } catch (error) {
    await stopAllProcesses();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

type Servers = Pick<TestServers, 'mongoUri' | 'redisUrl' | 'close'>;

async function programs(folder: string, log: Log): Promise<Servers> {
  const options = { folder, durable: false, log };
  const [mongo, redis] = await Promise.all([provideMongo(options), provideRedis(options)]);
  const close = async () => {
    await Promise.all([mongo.close(), redis.close()]);
  };
  return { mongoUri: mongo.uri, redisUrl: redis.url, close };
}

// Not tried where only package registries can be reached: no engine runs there, and no image can be pulled.
async function containers(): Promise<Servers> {
  const { GenericContainer } = await import('testcontainers');
  const [mongo, redis] = await Promise.all([
    new GenericContainer('mongo:8').withExposedPorts(27017).start(),
    new GenericContainer('redis:7.4-alpine')
      .withExposedPorts(6379)
      .withCommand(['redis-server', '--save', '', '--maxmemory-policy', 'noeviction'])
      .start(),
  ]);
  const close = async () => {
    await Promise.all([mongo.stop(), redis.stop()]);
  };
  return {
    mongoUri: `mongodb://${mongo.getHost()}:${mongo.getMappedPort(27017)}/`,
    redisUrl: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`,
    close,
  };
}

/** `docker version` fails when there is no engine behind the program, or no program. */
function useDocker(): boolean {
  const choice = process.env.TEST_SERVERS;
  if (choice) return choice === 'docker';
  if (process.env.MONGODB_URI || process.env.REDIS_URL) return false;
  return spawnSync('docker', ['version'], { stdio: 'ignore', timeout: 5_000 }).status === 0;
}
