import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { REDIS_SERVICES, type RedisService } from '#shared/stores/redis-families.ts';
import { type RedisPasswords, type RedisUser, redisAclFile, redisUrlOf } from '../access/redis-acl.ts';
import { freePort } from '../process/free-port.ts';
import { type OwnedProcess, startProcess } from '../process/owned-process.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import { byName } from '../secrets.ts';
import { type Log, SetupError } from '../setup-error.ts';
import { ensurePrograms, redisServer } from './ensure-programs.ts';

export type RedisServer = {
  /** Of the user `operator`. */
  url: string;
  /** Of each service's own user. */
  urls: Record<RedisService, string>;
  description: string;
  /** Empty for a given Redis. */
  processes: OwnedProcess[];
  close(): Promise<void>;
};

/** `prefix` is that of all keys. */
export type RedisUsers = { prefix: string; passwords: RedisPasswords };

/** They differ in what they do when they are full. */
const ROLES = {
  // With any other policy a full Redis drops jobs.
  redis: { setting: 'REDIS_URL', description: 'Redis', maxmemory: '512mb', policy: 'noeviction' },
  'label-cache': {
    setting: 'LABEL_CACHE_URL',
    description: 'Label cache',
    maxmemory: '256mb',
    policy: 'allkeys-lru',
  },
} as const;
type Role = keyof typeof ROLES;

/**
 * `users`: without them every client may do everything. `port`: of a server that is started again. A durable server writes to
 * disk every second.
 */
type OwnRedis = {
  folder: string;
  durable: boolean;
  log: Log;
  users?: RedisUsers;
  port?: number;
  role?: Role;
};

/**
 * Provides the Redis of `REDIS_URL`, or of `LABEL_CACHE_URL` for the role `label-cache`; or starts one as `startRedis` does.
 * @throws SetupError if the given Redis does not answer, or `redis-server` is missing.
 */
export async function provideRedis(options: OwnRedis): Promise<RedisServer> {
  const { setting, description } = ROLES[options.role ?? 'redis'];
  const given = process.env[setting];
  if (!given) return startRedis(options);
  await answers(given).catch((cause: Error) => {
    throw new SetupError(`The Redis of ${setting} does not answer (${cause.message}).`, { cause });
  });
  const urls = byName(REDIS_SERVICES, () => given);
  return { url: given, urls, description, processes: [], close: async () => {} };
}

/** Starts a Redis with its files in `folder`. @throws SetupError if `redis-server` is missing. */
export async function startRedis(options: OwnRedis): Promise<RedisServer> {
  const { folder, durable, users, role = 'redis' } = options;
  const { description, maxmemory, policy } = ROLES[role];
  await ensurePrograms([redisServer], options.log);
  const data = join(folder, role);
  mkdirSync(data, { recursive: true });
  const port = options.port ?? (await freePort());
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: data,
    save: '',
    appendonly: durable ? 'yes' : 'no',
    appendfsync: 'everysec',
    maxmemory,
    'maxmemory-policy': policy,
    ...(users && { aclfile: writeUsers(data, users) }),
  };
  const server = startProcess({
    name: description,
    command: ['redis-server', ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])],
    logFile: join(folder, 'logs', `${role}.log`),
  });
  const address = `redis://127.0.0.1:${port}`;
  const urlOf = (user: RedisUser) => (users ? redisUrlOf(address, user, users.passwords[user]) : address);
  const url = urlOf('operator');
  await waitUntilReady(server, () => answers(url), 20_000);
  const urls = byName(REDIS_SERVICES, urlOf);
  return { url, urls, description, processes: [server], close: server.stop };
}

/** Readable by this user alone. @returns its path. */
function writeUsers(data: string, { prefix, passwords }: RedisUsers): string {
  const file = join(data, 'users.acl');
  writeFileSync(file, redisAclFile(prefix, passwords), { mode: 0o600 });
  return file;
}

/** ioredis also waits until Redis has loaded its data. */
async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 });
  client.on('error', () => {}); // ioredis prints errors without a listener; ping() rejects with them
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } finally {
    client.disconnect();
  }
}
