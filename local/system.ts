import { join } from 'node:path';
import { repoRoot } from './folders.ts';
import { freePort } from './process/free-port.ts';
import { type OwnedProcess, startProcess } from './process/owned-process.ts';
import { waitUntilReady } from './process/wait-until-ready.ts';
import type { Secrets } from './secrets.ts';

/** Started together; stopped in the reverse order, so that nothing asks a service that is gone. */
const SERVICES = ['branches', 'label-worker', 'api', 'dashboard'] as const;
export type ServiceName = (typeof SERVICES)[number];

export type SystemOptions = {
  /** With the database in its path. */
  mongoUri: string;
  redisUrl: string;
  /** In braces, as BullMQ wants it; `{guias}` where it is not given. */
  redisPrefix?: string;
  chromiumPath: string;
  secrets: Secrets;
  /** Gets a `<service>.log` of each. */
  logFolder: string;
  /** A free one where it is not given. */
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
  const settings = settingsOf(options, addresses);
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
      SERVICES.map((name) => waitUntilReady(processes[name], () => saysReady(addresses[name]), 20_000)),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { addresses, processes, stop };
}

/** What each service is told, and nothing that it need not know. */
export function settingsOf(
  options: SystemOptions,
  addresses: Record<ServiceName, string>,
): Record<ServiceName, NodeJS.ProcessEnv> {
  const common = {
    HOST: '127.0.0.1',
    REDIS_URL: options.redisUrl,
    REDIS_PREFIX: options.redisPrefix ?? '{guias}',
  };
  const withMongo = { ...common, MONGODB_URI: options.mongoUri };
  // Nobody balances the load here, who would have to be told before a process ends.
  const internal = { ...withMongo, INTERNAL_TOKEN: options.secrets.internal, DRAIN_MS: '0' };
  return {
    branches: internal,
    api: { ...internal, BRANCHES_URL: addresses.branches, JWT_SECRET: options.secrets.jwt },
    'label-worker': { ...common, CHROMIUM_PATH: options.chromiumPath },
    dashboard: { ...withMongo, COOKIE_SECURE: 'false' },
  };
}

export async function saysReady(address: string): Promise<boolean> {
  return (await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
}

function perService<T>(make: (name: ServiceName) => T): Record<ServiceName, T> {
  return Object.fromEntries(SERVICES.map((name) => [name, make(name)])) as Record<ServiceName, T>;
}
