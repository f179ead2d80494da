import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { redisRules } from '#local/access/redis-acl.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { REDIS_SERVICES, type RedisService } from '#shared/stores/redis-families.ts';
import { Part } from './part.ts';
import { startProxy } from './proxy.ts';
import { type Closer, redisAnswers, type Server } from './servers.ts';

/** The forms of Redis that fail over. */
export type FailingOver = 'pair' | 'sentinel';

/** A process of Redis, and the test's own connection to it. */
type Node = { port: number; url: string; part: Part; redis: Redis };

/** Time after which the other servers take one for dead, in ms. */
const DEAD_AFTER_MS = 2_000;
/** The name by which the sentinels know the primary. */
const PRIMARY = 'guias';
/** The user that may ask the sentinels, and the password of all users. */
const SENTINEL_USER = 'ask';
const PASSWORD = randomBytes(16).toString('hex');

/** Starts a Redis that fails over, with its files in `folder`. @param prefix of the keys: what has them is its `part`. */
export function redisFailingOver(
  kind: FailingOver,
  prefix: string,
  folder: string,
  closers: Closer[],
): Promise<Server> {
  const start = { pair: startPair, sentinel: startSentinels }[kind];
  return start(prefix, folder, closers);
}

/** A primary and its replica behind one address, as a managed Redis is. */
async function startPair(prefix: string, folder: string, closers: Closer[]): Promise<Server> {
  const [one, two] = await startReplicated(folder, closers);
  let primary = one.port;
  const proxy = await startProxy(() => primary);
  closers.push(proxy.close);
  return {
    ...(await withUsers([one, two], prefix, (user) => `redis://${user}127.0.0.1:${proxy.port}`)),
    refusals: () => refusalsOf([one, two]),
    direct: one.url,
    part: one.part,
    async failOver() {
      await two.redis.replicaof('NO', 'ONE');
      one.redis.replicaof('127.0.0.1', two.port).catch(() => {}); // it may hang
      primary = two.port;
    },
  };
}

/** A primary and its replica, watched by three sentinels of which two agree. */
async function startSentinels(prefix: string, folder: string, closers: Closer[]): Promise<Server> {
  const [one, two] = await startReplicated(folder, closers);
  const settings = [
    `monitor ${PRIMARY} 127.0.0.1 ${one.port} 2`,
    `down-after-milliseconds ${PRIMARY} ${DEAD_AFTER_MS}`,
    `failover-timeout ${PRIMARY} 5000`,
  ];
  const sentinels = await startNodes(3, 'sentinel', folder, closers, (data) => {
    const file = join(data, 'sentinel.conf');
    writeFileSync(file, settings.map((line) => `sentinel ${line}\n`).join(''));
    return [file, '--sentinel'];
  });
  await eachSettles(sentinels, async ({ redis }) => {
    const known = (await redis.call('SENTINEL', 'MASTER', PRIMARY)) as string[];
    const value = (name: string) => known[known.indexOf(name) + 1];
    expect([value('num-other-sentinels'), value('num-slaves')]).toEqual(['2', '1']);
  });
  for (const { redis } of sentinels) {
    const rules = '-@all +hello +sentinel|get-master-addr-by-name'.split(' ');
    await redis.acl('SETUSER', SENTINEL_USER, 'reset', 'on', `>${PASSWORD}`, ...rules);
  }
  const login = `sentinel_username=${SENTINEL_USER}&sentinel_password=${PASSWORD}`;
  return {
    ...(await withUsers(
      [one, two],
      prefix,
      (user) => `redis+sentinel://${user}${addressesOf(sentinels)}/${PRIMARY}?${login}`,
    )),
    refusals: () => refusalsOf([one, two, ...sentinels]),
    direct: one.url,
    part: one.part,
  };
}

/** Adds each service's own user to the servers. @returns the addresses with and without them. */
async function withUsers(nodes: Node[], prefix: string, urlOf: (user: string) => string) {
  for (const service of REDIS_SERVICES) {
    const rules = ['reset', 'on', `>${PASSWORD}`, ...redisRules(service, prefix)];
    await Promise.all(nodes.map(({ redis }) => redis.acl('SETUSER', service, ...rules)));
  }
  const urls = Object.fromEntries(REDIS_SERVICES.map((name) => [name, urlOf(`${name}:${PASSWORD}@`)]));
  return { url: urlOf(''), urls: urls as Record<RedisService, string> };
}

/** Returns what the servers that answer have refused to a user. */
async function refusalsOf(nodes: Node[]): Promise<unknown[]> {
  const logs = nodes.map(({ redis }) => redis.acl('LOG').catch(() => []));
  return (await Promise.all(logs)).flat();
}

function addressesOf(nodes: Node[]): string {
  return nodes.map(({ port }) => `127.0.0.1:${port}`).join();
}

async function startReplicated(folder: string, closers: Closer[]): Promise<[Node, Node]> {
  const [one, two] = (await startNodes(2, 'redis', folder, closers, () => DURABLE)) as [Node, Node];
  await two.redis.replicaof('127.0.0.1', one.port);
  await eachSettles([two], async ({ redis }) =>
    expect(await redis.info('replication')).toContain('master_link_status:up'),
  );
  return [one, two];
}

/** As that of `npm start`. */
const DURABLE = '--appendonly yes --maxmemory-policy noeviction --repl-diskless-sync-delay 0'.split(' ');

/** Starts processes of Redis. @param argumentsOf returns what is particular to one, with its files in `data`. */
function startNodes(
  count: number,
  name: string,
  folder: string,
  closers: Closer[],
  argumentsOf: (data: string, i: number) => string[],
): Promise<Node[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i): Promise<Node> => {
      const port = await freePort();
      const url = `redis://127.0.0.1:${port}`;
      const data = join(folder, `${name}-${i}`);
      mkdirSync(data, { recursive: true });
      const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', data];
      const program = startProcess({
        name: `${name} ${i}`,
        command: ['redis-server', ...argumentsOf(data, i), ...settings],
        logFile: join(folder, 'logs', `${name}-${i}.log`),
      });
      const redis = new Redis(port, '127.0.0.1', {
        retryStrategy: () => 50,
        maxRetriesPerRequest: null,
        commandTimeout: 5_000,
      });
      redis.on('error', () => {}); // away until it has started, and while it is killed
      closers.push(async () => redis.disconnect());
      const part = new Part([program], () => redisAnswers(url));
      closers.push(() => part.end());
      await part.start();
      return { port, url, part, redis };
    }),
  );
}

/** Waits until each server sees the others as it should. */
async function eachSettles(nodes: Node[], requireSettled: (node: Node) => Promise<void>): Promise<void> {
  await vi.waitFor(() => Promise.all(nodes.map(requireSettled)), { timeout: 60_000, interval: 100 });
}
