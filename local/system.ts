import { join } from 'node:path';
import { repoRoot } from './folders.ts';
import { freePort } from './process/free-port.ts';
import { type OwnedProcess, startProcess } from './process/owned-process.ts';
import { waitUntilReady } from './process/wait-until-ready.ts';
import type { Secrets } from './secrets.ts';

/** The services, stopped in the reverse order: no service then asks one that is gone. */
const SERVICES = ['branches', 'label-worker', 'api', 'dashboard'] as const;
export type ServiceName = (typeof SERVICES)[number];

export type SystemOptions = {
  /** Names the database in its path. */
  mongoUri: string;
  redisUrl: string;
  /** In braces, as BullMQ requires on Redis Cluster; `{guias}` by default. */
  redisPrefix?: string;
  chromiumPath: string;
  secrets: Secrets;
  /** Gets one `<service>.log` a service. */
  logFolder: string;
  /** A free port by default. */
  ports?: Partial<Record<ServiceName, number>>;
};

export type System = {
  addresses: Record<ServiceName, string>;
  processes: Record<ServiceName, OwnedProcess>;
  stop(): Promise<void>;
};

/**
 * Starts the services as processes and waits until each is ready. When one is not, the others are stopped and
 * the error carries the end of its log.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const ports = {} as Record<ServiceName, number>;
  for (const name of SERVICES) ports[name] = options.ports?.[name] ?? (await freePort());
  const addresses = perService((name) => `http://127.0.0.1:${ports[name]}`);
  const settings = serviceSettings(options, addresses);
  const processes = perService((name) =>
    startProcess({
      name,
      command: [process.execPath, join(repoRoot, 'services', name, 'main.ts')],
      env: { ...process.env, ...settings[name], PORT: String(ports[name]) },
      logFile: join(options.logFolder, `${name}.log`),
      stopTimeoutMs: 25_000, // longer than a service's own deadline
    }),
  );
  const stop = async () => {
    for (const name of SERVICES.toReversed()) await processes[name].stop();
  };
  try {
    await Promise.all(
      SERVICES.map((name) => waitUntilReady(processes[name], () => isReady(addresses[name]), 20_000)),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { addresses, processes, stop };
}

/** Returns the environment of each service: what the service needs, and no secret of another one. */
export function serviceSettings(
  options: SystemOptions,
  addresses: Record<ServiceName, string>,
): Record<ServiceName, NodeJS.ProcessEnv> {
  const common = {
    HOST: '127.0.0.1',
    REDIS_URL: options.redisUrl,
    REDIS_PREFIX: options.redisPrefix ?? '{guias}',
  };
  const withMongo = { ...common, MONGODB_URI: options.mongoUri };
  // There is no load balancer here that a service would have to tell before it ends.
  const internal = { ...withMongo, INTERNAL_TOKEN: options.secrets.internal, DRAIN_MS: '0' };
  return {
    branches: internal,
    api: { ...internal, BRANCHES_URL: addresses.branches, JWT_SECRET: options.secrets.jwt },
    'label-worker': { ...common, CHROMIUM_PATH: options.chromiumPath },
    dashboard: { ...withMongo, COOKIE_SECURE: 'false' },
  };
}

/** Tells whether a service reports itself ready; rejects where it does not answer. */
export async function isReady(address: string): Promise<boolean> {
  return (await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
}

function perService<T>(make: (name: ServiceName) => T): Record<ServiceName, T> {
  return Object.fromEntries(SERVICES.map((name) => [name, make(name)])) as Record<ServiceName, T>;
}
