import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, makeTemporaryFolder } from './folders.ts';
import { provideMongo } from './mongo/mongo.ts';
import { stopAllProcesses } from './process/owned-process.ts';
import { provideChromium } from './programs/chromium.ts';
import { provideRedis } from './programs/redis.ts';
import type { Log } from './setup-error.ts';

export type TestServers = {
  /** Without a database: each test names one of its own in the path. */
  mongoUri: string;
  /** Each test uses a key prefix of its own. */
  redisUrl: string;
  /** The Redis of the finished labels. */
  labelCacheUrl: string;
  chromiumPath: string;
  /** An empty folder for logs and files, removed by `close`. */
  folder: string;
  close(): Promise<void>;
};

/**
 * Provides the servers of a test run, empty and for this run alone: containers where a Docker engine runs, otherwise the
 * programs that `npm start` uses. `TEST_SERVERS=docker` or `TEST_SERVERS=local` chooses.
 */
export async function provideTestServers(log: Log): Promise<TestServers> {
  const folder = makeTemporaryFolder(join(cacheFolder, 'tests'));
  try {
    const [servers, chromiumPath] = await Promise.all([
      useDocker() ? containers() : programs(folder, log),
      provideChromium(log),
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

type Servers = Pick<TestServers, 'mongoUri' | 'redisUrl' | 'labelCacheUrl' | 'close'>;

async function programs(folder: string, log: Log): Promise<Servers> {
  const options = { folder, durable: false, log };
  const [mongo, redis, labelCache] = await Promise.all([
    provideMongo(options),
    provideRedis(options),
    provideRedis({ ...options, role: 'label-cache' }),
  ]);
  const close = async () => {
    await Promise.all([mongo.close(), redis.close(), labelCache.close()]);
  };
  return { mongoUri: mongo.uri, redisUrl: redis.url, labelCacheUrl: labelCache.url, close };
}

// Without protected mode, which the official image switches off: a client from outside the container has no password.
const REDIS = [
  'redis-server',
  '--save',
  '',
  '--protected-mode',
  'no',
  '--maxmemory',
  '512mb',
  '--maxmemory-policy',
];

async function containers(): Promise<Servers> {
  const { GenericContainer, Network } = await import('testcontainers');
  const network = await new Network().start(); // an engine may have no default one
  const startRedis = (policy: string) =>
    new GenericContainer('redis:7.4-alpine')
      .withNetwork(network)
      .withExposedPorts(6379)
      .withCommand([...REDIS, policy])
      .start();
  const [mongo, redis, labelCache] = await Promise.all([
    new GenericContainer('mongo:8').withNetwork(network).withExposedPorts(27017).start(),
    startRedis('noeviction'),
    startRedis('allkeys-lru'),
  ]);
  const close = async () => {
    await Promise.all([mongo.stop(), redis.stop(), labelCache.stop()]);
    await network.stop();
  };
  return {
    mongoUri: `mongodb://${mongo.getHost()}:${mongo.getMappedPort(27017)}/`,
    redisUrl: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`,
    labelCacheUrl: `redis://${labelCache.getHost()}:${labelCache.getMappedPort(6379)}`,
    close,
  };
}

/** Tells whether to use containers. */
function useDocker(): boolean {
  const choice = process.env.TEST_SERVERS;
  if (choice) return choice === 'docker';
  if (process.env.MONGODB_URI || process.env.REDIS_URL) return false;
  return dockerAnswers();
}

/** Tells whether there is a Docker Engine; `docker info` fails without an engine behind the program, or without the program. */
export function dockerAnswers(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 5_000 }).status === 0;
}
