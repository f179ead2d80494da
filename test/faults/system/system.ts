import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import mongoose, { type Connection } from 'mongoose';
import { expect, inject, vi } from 'vitest';
import { seedDemoData } from '#local/demo-data.ts';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { generateSecrets } from '#local/secrets.ts';
import { requireReady, type ServiceName, serviceSettings } from '#local/system.ts';
import { LABEL_QUEUE, type LabelJob } from '#shared/printing/label-job.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';
import { startBalancer } from './balancer.ts';
import { type FailingOver, redisFailingOver } from './failing-over.ts';
import { Part } from './part.ts';
import { type Closer, electingMongo, mongoServer, redisServer, type Server } from './servers.ts';

// Nothing is timed by these: a fault takes long, and on a busy machine longer.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

type Service = 'api' | 'branches' | 'label-worker';

export type Wanted = {
  /** Processes of each service; one where it is not said. */
  count?: Partial<Record<Service, number>>;
  /** Servers that the test may kill. The others are the test run's, behind a proxy. */
  own?: readonly ('redis' | 'labelCache' | 'mongo')[];
  /** A Redis that fails over, the test's own; one that does not by default. */
  redis?: FailingOver;
  /** Whether MongoDB is a replica set whose primary may step down. */
  elections?: boolean;
  /** More settings, of every service. */
  env?: NodeJS.ProcessEnv;
};

type Stores = {
  redis: Server;
  labelCache: Server;
  mongo: Server;
  prefix: string;
  /** The test's own connections, past the proxies. */
  db: Connection;
  store: Redis;
  queue: Queue<LabelJob>;
};

/** The real processes with the demo data, each of which can be killed. */
export type FaultSystem = Stores & {
  /** Address of the API, over all its processes. */
  url: string;
  apis: Part[];
  branches: Part[];
  workers: Part[];
};

/** Returns the ids of the services' processes, which tell whether one was started again. */
export function pidsOf({ apis, branches, workers }: FaultSystem): number[] {
  return [...apis, ...branches, ...workers].map(({ pid }) => pid);
}

/** Tests with `system`. What is not as `wanted` by default, a file extends: `test.extend('wanted', { … })`. */
export const test = folderTest
  .extend('wanted', { scope: 'file' }, {} as Wanted)
  .extend('system', { scope: 'file' }, async ({ wanted, folder }, { onCleanup }): Promise<FaultSystem> => {
    const closers: Closer[] = [];
    const close = async () => {
      for (const closer of closers.reverse()) await closer();
    };
    try {
      const stores = await openStores(wanted, folder, closers);
      const services = await startServices(wanted, stores, folder, closers);
      onCleanup(close);
      return { ...stores, ...services };
    } catch (error) {
      await close(); // what was started is ended when a part does not come up
      throw error;
    }
  });

async function openStores(
  { own = [], redis: kind, elections }: Wanted,
  folder: string,
  closers: Closer[],
): Promise<Stores> {
  const name = `t${randomBytes(6).toString('hex')}`;
  const mongo = elections
    ? await electingMongo(name, closers)
    : await mongoServer(own.includes('mongo'), name, folder, closers);
  const prefix = `{${name}}`;
  const redis = kind
    ? await redisFailingOver(kind, prefix, folder, closers)
    : await redisServer('redis', own.includes('redis'), folder, closers);
  const labelCache = await redisServer('label-cache', own.includes('labelCache'), folder, closers);
  await seedDemoData(mongo.direct);
  const db = await mongoose.createConnection(mongo.direct).asPromise();
  const store = new Redis(redis.direct, { maxRetriesPerRequest: null });
  const queue = new Queue<LabelJob>(LABEL_QUEUE, { connection: store, prefix });
  for (const one of [store, queue]) one.on('error', () => {}); // away while it is killed
  closers.push(async () => {
    // A server of the test's own may be gone for good, and its data go with it.
    if (!mongo.part) await db.dropDatabase();
    if (!redis.part) await removeKeys(store, prefix);
    await queue.close();
    store.disconnect();
    await db.destroy();
  });
  return { redis, labelCache, mongo, prefix, db, store, queue };
}

async function removeKeys(store: Redis, prefix: string): Promise<void> {
  for await (const keys of store.scanStream({ match: `${prefix}*`, count: 1_000 })) {
    if (keys.length > 0) await store.unlink(keys);
  }
}

async function startServices(
  wanted: Wanted,
  { redis, labelCache, mongo, prefix }: Stores,
  logFolder: string,
  closers: Closer[],
): Promise<Pick<FaultSystem, 'url' | 'apis' | 'branches' | 'workers'>> {
  const options = {
    mongoUri: mongo.url,
    redisUrl: redis.urls ?? redis.url,
    labelCacheUrl: labelCache.url,
    redisPrefix: prefix,
    chromiumPath: inject('chromiumPath'),
    secrets: generateSecrets(),
    logFolder,
  };
  async function start(service: Service, addresses: Partial<Record<ServiceName, string>> = {}) {
    const ports = await Promise.all(Array.from({ length: wanted.count?.[service] ?? 1 }, freePort));
    const settings = serviceSettings(options, addresses as Record<ServiceName, string>)[service];
    const parts = ports.map((port, i) => {
      const program = startProcess({
        name: `${service} ${i}`,
        command: [process.execPath, join(repoRoot, 'services', service, 'main.ts')],
        env: { ...process.env, ...settings, ...wanted.env, PORT: String(port) },
        logFile: join(logFolder, `${service}-${i}.log`),
        stopTimeoutMs: 25_000, // longer than a service's own deadline
      });
      const url = `http://127.0.0.1:${port}`;
      return new Part([program], () => requireReady(url), url);
    });
    closers.push(() => Promise.all(parts.map((part) => part.end())));
    return { parts, ports };
  }
  /** Where a service is reached: as Kubernetes would have it, unless it is one process. */
  async function address({ ports }: { ports: number[] }): Promise<string> {
    if (ports.length === 1) return `http://127.0.0.1:${ports[0]}`;
    const balancer = await startBalancer(ports);
    closers.push(balancer.close);
    return `http://127.0.0.1:${balancer.port}`;
  }
  const branches = await start('branches');
  const workers = await start('label-worker');
  const apis = await start('api', { branches: await address(branches), webhooks: 'http://127.0.0.1:1' });
  await Promise.all([branches, workers, apis].flatMap(({ parts }) => parts.map((part) => part.start())));
  const url = await address(apis);
  await vi.waitFor(async () => expect(await requireReady(url)).toBe(true), 60_000); // its balancer knows by now
  return { url, apis: apis.parts, branches: branches.parts, workers: workers.parts };
}
