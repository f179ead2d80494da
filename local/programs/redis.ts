import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../process/free-port.ts';
import { type OwnedProcess, startProcess } from '../process/owned-process.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import { type Log, SetupError } from '../setup-error.ts';
import { ensurePrograms, type Program } from './ensure-programs.ts';

export type RedisServer = {
  url: string;
  description: string;
  /** The process that was started for it; none for `REDIS_URL`. */
  processes: OwnedProcess[];
  close(): Promise<void>;
};

const redisServer: Program = {
  names: ['redis-server'],
  apt: 'redis-server',
  brew: 'redis',
  instead: 'set REDIS_URL to a Redis that runs',
};

/**
 * Provides the Redis of `REDIS_URL`, or starts one on a free port, with its files in `folder`. A durable one writes to
 * disk every second.
 *
 * @throws SetupError where the Redis of `REDIS_URL` does not answer, or `redis-server` is missing.
 */
export async function provideRedis(options: {
  folder: string;
  durable: boolean;
  log: Log;
}): Promise<RedisServer> {
  const given = process.env.REDIS_URL;
  if (given) return givenRedis(given);
  await ensurePrograms([redisServer], options.log);
  const data = join(options.folder, 'redis');
  mkdirSync(data, { recursive: true });
  const port = await freePort();
  const server = startProcess({
    name: 'Redis',
    command: ['redis-server', ...settings(port, data, options.durable)],
    logFile: join(options.folder, 'logs', 'redis.log'),
  });
  const url = `redis://127.0.0.1:${port}`;
  await waitUntilReady(server, () => answers(url), 20_000);
  return { url, description: 'Redis', processes: [server], close: server.stop };
}

async function givenRedis(url: string): Promise<RedisServer> {
  await answers(url).catch((cause: Error) => {
    throw new SetupError(`The Redis of REDIS_URL does not answer (${cause.message}).`, { cause });
  });
  return { url, description: 'Redis', processes: [], close: async () => {} };
}

function settings(port: number, data: string, durable: boolean): string[] {
  const values = {
    bind: '127.0.0.1',
    port: String(port),
    dir: data,
    save: '',
    appendonly: durable ? 'yes' : 'no',
    appendfsync: 'everysec',
    // With any other policy a full Redis drops jobs.
    'maxmemory-policy': 'noeviction',
  };
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Tells whether Redis serves: ioredis also waits until the data is loaded. */
async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 });
  client.on('error', () => {}); // ioredis prints errors that nobody listens to; ping() rejects with them
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } finally {
    client.disconnect();
  }
}
