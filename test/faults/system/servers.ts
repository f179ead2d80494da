import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { provideMongo, removeMongoData } from '#local/mongo/mongo.ts';
import { answersPing } from '#local/mongo/mongod.ts';
import { startRedis } from '#local/programs/redis.ts';
import type { RedisService } from '#shared/stores/redis-families.ts';
import { startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { Part } from './part.ts';
import { startProxy, type TcpProxy } from './proxy.ts';

/** Closes what a file opened. */
export type Closer = () => Promise<unknown>;

/** A server that the services use: one of the test's own, which can be killed, or the test run's behind a proxy. */
export type Server = {
  /** As the services see it, and as the test does. */
  url: string;
  direct: string;
  /** Of each service's own user, where it has one. */
  urls?: Record<RedisService, string>;
  /** What Redis has refused to a user since it started. */
  refusals?: () => Promise<unknown[]>;
  part?: Part;
  proxy?: TcpProxy;
  /** Of a pair: makes the replica the primary, to which the address then leads. Connections stay open. */
  failOver?: () => Promise<void>;
  /** Of a MongoDB that may lose its primary: has it step down. Connections stay open. @returns what elects it again. */
  stepDown?: () => () => void;
};

/** @param own durable in the role `redis`, as that of `npm start`: its files are in `folder`. */
export async function redisServer(
  role: 'redis' | 'label-cache',
  own: boolean,
  folder: string,
  closers: Closer[],
): Promise<Server> {
  const isDurable = role === 'redis';
  if (!own) return behindProxy(inject(isDurable ? 'redisUrl' : 'labelCacheUrl'), closers);
  const { url, processes } = await startRedis({ folder, durable: isDurable, log: () => {}, role });
  const part = new Part(processes, () => redisAnswers(url));
  closers.push(() => part.end());
  return { url, direct: url, part };
}

/** @param own durable, as that of `npm start`; DocumentDB's data are in the cache, under a name of the folder's. */
export async function mongoServer(
  own: boolean,
  database: string,
  folder: string,
  closers: Closer[],
): Promise<Server> {
  if (!own) return behindProxy(inDatabase(inject('mongoUri'), database), closers);
  const server = await provideMongo({ folder, durable: true, log: () => {} });
  const { processes } = server;
  const uri = inDatabase(server.uri, database);
  const part = new Part(processes, () => answersPing(uri));
  closers.push(async () => {
    await part.end();
    removeMongoData(folder);
  });
  return { url: uri, direct: uri, part };
}

/** The test run's MongoDB as a replica set, whose primary may step down. */
export async function electingMongo(database: string, closers: Closer[]): Promise<Server> {
  const direct = inDatabase(inject('mongoUri'), database);
  const proxy = await startMongoProxy(direct, () => 'done');
  closers.push(proxy.close);
  return { url: proxy.uri, direct, stepDown: proxy.stepDown };
}

function inDatabase(uri: string, database: string): string {
  return Object.assign(new URL(uri), { pathname: `/${database}` }).href;
}

async function behindProxy(direct: string, closers: Closer[]): Promise<Server> {
  const url = new URL(direct);
  const port = Number(url.port);
  const proxy = await startProxy(() => port);
  closers.push(proxy.close);
  url.port = String(proxy.port);
  return { url: url.href, direct, proxy };
}

/** Ready to serve: ioredis also waits for the data to be loaded. */
export async function redisAnswers(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 });
  redis.on('error', () => {}); // ping() rejects with them
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } finally {
    redis.disconnect();
  }
}
