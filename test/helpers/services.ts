import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import mongoose, { type Connection } from 'mongoose';
import { inject } from 'vitest';
import { seedDemoData } from '../../local/demo-data.ts';
import { buildApi } from '../../services/api/app.ts';
import { ApiConfig } from '../../services/api/config.ts';
import { buildBranches } from '../../services/branches/app.ts';
import { BranchesConfig } from '../../services/branches/config.ts';
import { buildDashboard } from '../../services/dashboard/app.ts';
import { DashboardConfig } from '../../services/dashboard/config.ts';
import { buildLabelWorker } from '../../services/label-worker/app.ts';
import { LabelWorkerConfig } from '../../services/label-worker/config.ts';
import { loadConfig } from '../../shared/config.ts';
import { createLogger } from '../../shared/logger.ts';

export const INTERNAL_TOKEN = randomBytes(32).toString('hex');
export const JWT_SECRET = randomBytes(32).toString('hex');

/** Closes what a test file opened, in the reverse order. */
export type Closer = () => Promise<unknown>;

/** A database and a Redis prefix of the test file's own, with the demo data; removed by `close`. */
export async function freshStores(): Promise<{
  env: Record<string, string>;
  mongo: Connection;
  redis: Redis;
  prefix: string;
  close: Closer;
}> {
  const name = `t${randomBytes(6).toString('hex')}`;
  const prefix = `{${name}}`;
  const uri = new URL(inject('mongoUri'));
  uri.pathname = `/${name}`;
  const mongo = await mongoose.createConnection(uri.href).asPromise();
  const redis = new Redis(inject('redisUrl'));
  await seedDemoData(uri.href);
  return {
    env: {
      MONGODB_URI: uri.href,
      REDIS_URL: inject('redisUrl'),
      REDIS_PREFIX: prefix,
      INTERNAL_TOKEN,
      JWT_SECRET,
      CHROMIUM_PATH: inject('chromiumPath'),
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
      PORT: '0',
      DRAIN_MS: '0',
    },
    mongo,
    redis,
    prefix,
    close: async () => {
      await mongo.dropDatabase();
      await mongo.close();
      const keys = await redis.keys(`${prefix.replace('{', '\\{')}*`);
      if (keys.length > 0) await redis.del(keys);
      await redis.quit();
    },
  };
}

export async function startBranches(env: Record<string, string>) {
  const config = loadConfig(BranchesConfig, env);
  const server = await buildBranches(config, createLogger('branches', config.LOG_LEVEL));
  return { url: await server.listen({ host: '127.0.0.1', port: 0 }), server };
}

export async function startApi(env: Record<string, string>) {
  const config = loadConfig(ApiConfig, env);
  const server = await buildApi(config, createLogger('api', config.LOG_LEVEL));
  return { url: await server.listen({ host: '127.0.0.1', port: 0 }), server };
}

export function startLabelWorker(env: Record<string, string>) {
  const config = loadConfig(LabelWorkerConfig, env);
  return buildLabelWorker(config, createLogger('label-worker', config.LOG_LEVEL));
}

export async function startDashboard(env: Record<string, string>) {
  const config = loadConfig(DashboardConfig, { COOKIE_SECURE: 'false', ...env });
  const server = await buildDashboard(config, createLogger('dashboard', config.LOG_LEVEL));
  return { url: await server.listen({ host: '127.0.0.1', port: 0 }), server };
}

/** The whole system in this process, on stores of its own. Without `labels` no Chromium is started. */
export async function startServices(options: { labels?: boolean; env?: Record<string, string> } = {}) {
  const stores = await freshStores();
  const env = { ...stores.env, ...options.env };
  const branches = await startBranches(env);
  const api = await startApi({ ...env, BRANCHES_URL: branches.url });
  const worker = options.labels ? await startLabelWorker(env) : undefined;
  return {
    ...stores,
    url: api.url,
    env: { ...env, BRANCHES_URL: branches.url },
    branches: branches.server,
    worker,
    close: async () => {
      await api.server.close();
      await worker?.close();
      await branches.server.close();
      await stores.close();
    },
  };
}
