import { Redis } from 'ioredis';
import { seedDemoData } from '#local/demo-data.ts';
import { generateSecrets } from '#local/secrets.ts';
import { type System, startSystem } from '#local/system.ts';
import { AccountLimitsStore } from '#services/api/accounts/account-limits.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { ApiClient } from '../load/api-client.ts';
import type { Run } from '../run.ts';

/** The real processes with demo data, and a client of theirs. */
export type BenchSystem = System & { api: ApiClient; redisPrefix: string; logFolder: string };

let started = 0;

export function databaseUri(run: Run, name = 'bench'): string {
  const uri = new URL(run.servers.mongoUri);
  uri.pathname = `/${name}`;
  return uri.href;
}

/** Processes of its own for each group of rows, so that none inherits what another did to them. */
export async function withSystem<T>(
  run: Run,
  use: (system: BenchSystem) => Promise<T>,
  mongoUri = databaseUri(run),
): Promise<T> {
  const { redisUrl, labelCacheUrl, chromiumPath, folder } = run.servers;
  const redisPrefix = `{bench-${++started}}`;
  const logFolder = `${folder}/system-${started}`;
  await seedDemoData(mongoUri);
  await liftLimits(mongoUri);
  const secrets = generateSecrets();
  const secretFolder = `${folder}/secrets-${started}`;
  const system = await startSystem({
    mongoUri,
    redisUrl,
    labelCacheUrl,
    redisPrefix,
    chromiumPath,
    secrets,
    logFolder,
    secretFolder,
  });
  const api = await ApiClient.login(system.addresses.api);
  try {
    return await use({ ...system, api, redisPrefix, logFolder });
  } finally {
    await api.close();
    await system.stop();
    await Promise.all([redisUrl, labelCacheUrl].map((url) => forget(url, `${redisPrefix}*`)));
  }
}

/** What is measured is the service, which serves one account faster than the limits of accounts allow. */
async function liftLimits(mongoUri: string): Promise<void> {
  const mongo = await connectMongo(mongoUri, createLogger('bench', 'silent'));
  const limits = new AccountLimitsStore(mongo);
  for (const account of ['demo', 'escaner']) {
    await limits.set(account, {
      requestsPerSecond: 100_000,
      requestsBurst: 300_000,
      guidesPerDay: 1_000_000_000,
      labelPages: 100_000,
    });
  }
  await mongo.close();
}

/** Removes keys, such as thousands of labels, which Redis would keep for an hour. */
async function forget(redisUrl: string, match: string): Promise<void> {
  const redis = new Redis(redisUrl);
  for await (const keys of redis.scanStream({ match, count: 1_000 })) {
    if (keys.length > 0) await redis.unlink(keys);
  }
  redis.disconnect();
}

/** Removes the finished labels of a system. */
export function forgetLabels({ servers }: Run, { redisPrefix }: BenchSystem): Promise<void> {
  return forget(servers.labelCacheUrl, `${redisPrefix}:label:*`);
}
