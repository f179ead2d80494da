import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TObject } from 'typebox';
import type { CanarySecrets } from '#services/api/canary/ensure-account.ts';
import { ApiConfig } from '#services/api/config.ts';
import { BranchesConfig } from '#services/branches/config.ts';
import { CanaryConfig } from '#services/canary/config.ts';
import { DashboardConfig } from '#services/dashboard/config.ts';
import { LabelWorkerConfig } from '#services/label-worker/config.ts';
import { WebhooksConfig } from '#services/webhooks/config.ts';
import type { RedisService } from '#shared/stores/redis-families.ts';
import { repoRoot } from './folders.ts';
import { freePort } from './process/free-port.ts';
import { type OwnedProcess, startProcess } from './process/owned-process.ts';
import { waitUntilReady } from './process/wait-until-ready.ts';
import type { Secrets } from './secrets.ts';
import type { Log } from './setup-error.ts';

/** Stopped in the reverse order, so that no service calls one that has stopped. */
const SERVICES = ['branches', 'label-worker', 'webhooks', 'api', 'dashboard', 'canary'] as const;
export type ServiceName = (typeof SERVICES)[number];
/** Where nothing listens: the canary's address if there is none. */
const NOWHERE = 'http://127.0.0.1:1';

/** In ms: many times the usual, for a slow or busy machine. */
const READY_TIMEOUT_MS = 120_000;

export const USUAL_PREFIX = '{guias}';

export type SystemSettings = {
  /** With the database in its path. */
  mongoUri: string;
  /** One address for all, or each service's own with its user and password. */
  redisUrl: string | Record<RedisService, string>;
  /** Of the Redis of the finished labels. */
  labelCacheUrl: string | Record<RedisService, string>;
  /** In braces; `USUAL_PREFIX` by default. */
  redisPrefix?: string;
  chromiumPath: string;
  /** The address for clients and on labels; the api's own by default. */
  publicUrl?: string;
  secrets: Pick<Secrets, 'jwt' | 'internal' | 'notices' | 'webhooks' | 'webhooksPrevious'>;
  /** Those that its account has (`ensureCanaryAccount`); without them no canary is started. */
  canary?: CanarySecrets;
};

export type SystemOptions = SystemSettings & {
  /** For `<service>.log` of each service. */
  logFolder: string;
  /** For a folder of each service, with a file for each secret, readable by this user alone. */
  secretFolder: string;
  /** A free port by default. */
  ports?: Partial<Record<ServiceName, number>>;
  /** Gets a line when a start takes long. */
  log?: Log;
};

export type System = {
  addresses: Record<ServiceName, string>;
  processes: Record<Exclude<ServiceName, 'canary'>, OwnedProcess> & { canary?: OwnedProcess };
  /** Settings of each service. A secret is the path of its file, `…_FILE`. */
  environments: Record<ServiceName, NodeJS.ProcessEnv>;
  stop(): Promise<void>;
};

/**
 * Starts the services and waits until each is ready. If one is not, stops the others and throws an error with the end
 * of its log.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const names = SERVICES.filter((name) => name !== 'canary' || options.canary);
  const ports = {} as Record<ServiceName, number>;
  for (const name of names) ports[name] = options.ports?.[name] ?? (await freePort());
  const addresses = perService((name) => (name in ports ? `http://127.0.0.1:${ports[name]}` : NOWHERE));
  const settings = serviceSettings(options, addresses);
  const inherited = withoutSecrets(process.env);
  const environments = perService((name) => ({
    ...secretsAsFiles(settings[name], join(options.secretFolder, name)),
    PORT: String(ports[name]),
  }));
  const start = (name: ServiceName) =>
    startProcess({
      name,
      command: [process.execPath, join(repoRoot, 'services', name, 'main.ts')],
      env: { ...inherited, ...environments[name] },
      logFile: join(options.logFolder, `${name}.log`),
      stopTimeoutMs: 25_000, // longer than a service's own deadline
    });
  const processes = Object.fromEntries(names.map((name) => [name, start(name)])) as System['processes'];
  const stop = async () => {
    for (const name of SERVICES.toReversed()) await processes[name]?.stop();
  };
  try {
    await Promise.all(
      Object.values(processes).map((process) => {
        const address = addresses[process.name as ServiceName];
        return waitUntilReady(process, () => requireReady(address), READY_TIMEOUT_MS, options.log);
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { addresses, processes, environments, stop };
}

/** Each service gets what it needs, and no secret of another one. */
export function serviceSettings(
  options: SystemSettings,
  addresses: Record<ServiceName, string>,
): Record<ServiceName, NodeJS.ProcessEnv> {
  const { redisUrl, labelCacheUrl, secrets } = options;
  const labels = (name: RedisService) => ({
    LABEL_CACHE_URL: typeof labelCacheUrl === 'string' ? labelCacheUrl : labelCacheUrl[name],
  });
  const common = (name: RedisService) => ({
    HOST: '127.0.0.1',
    REDIS_URL: typeof redisUrl === 'string' ? redisUrl : redisUrl[name],
    REDIS_PREFIX: options.redisPrefix ?? USUAL_PREFIX,
  });
  // No load balancer needs to notice that a service ends.
  const serving = { MONGODB_URI: options.mongoUri, DRAIN_MS: '0' };
  const internal = { ...serving, INTERNAL_TOKEN: secrets.internal };
  const demo = { ALLOW_DEMO_USERS: 'true' };
  // A receiver of webhooks may run on this machine.
  const receivers = {
    WEBHOOKS_ALLOW_PRIVATE: 'true',
    WEBHOOK_SECRETS_KEY: secrets.webhooks,
    WEBHOOK_SECRETS_KEY_PREVIOUS: secrets.webhooksPrevious,
    CANARY_URL: addresses.canary,
  };
  return {
    branches: { ...common('branches'), ...internal },
    api: {
      ...common('api'),
      ...labels('api'),
      ...internal,
      ...demo,
      ...receivers,
      NOTICES_SECRET: secrets.notices,
      BRANCHES_URL: addresses.branches,
      PUBLIC_URL: options.publicUrl ?? addresses.api,
      WEBHOOKS_URL: addresses.webhooks,
      JWT_SECRET: secrets.jwt,
    },
    'label-worker': {
      ...common('label-worker'),
      ...labels('label-worker'),
      CHROMIUM_PATH: options.chromiumPath,
    },
    webhooks: { ...common('webhooks'), ...internal, ...receivers },
    dashboard: {
      ...common('dashboard'),
      ...labels('dashboard'),
      ...serving,
      ...demo,
      COOKIE_SECURE: 'false',
      INSTALLATION: 'npm-start',
      PUBLIC_URL: options.publicUrl ?? addresses.api,
      CANARY_URL: addresses.canary,
    },
    // The api's one process is where customers go too.
    canary: {
      HOST: '127.0.0.1',
      CUSTOMERS_URL: addresses.api,
      CANARY_URL: addresses.canary,
      CANARY_KEY: options.canary?.key,
      CANARY_PASSWORD: options.canary?.password,
    },
  };
}

const SCHEMAS: TObject[] = [
  ApiConfig,
  BranchesConfig,
  CanaryConfig,
  DashboardConfig,
  LabelWorkerConfig,
  WebhooksConfig,
];
const SECRET_SETTINGS = SCHEMAS.flatMap(({ properties }) =>
  Object.keys(properties).filter((name) => (properties[name] as { writeOnly?: boolean }).writeOnly),
);

/** Users who may list processes see their environment, and child processes inherit it. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_SETTINGS.includes(name)));
}

/** Writes secrets to files in `folder`, and returns the settings with `…_FILE` in their place. */
function secretsAsFiles(settings: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
  const env = withoutSecrets(settings);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of SECRET_SETTINGS.filter((each) => settings[each])) {
    const file = join(folder, name);
    writeFileSync(file, settings[name] as string, { mode: 0o600 });
    env[`${name}_FILE`] = file;
  }
  return env;
}

/** @throws with the state of its dependencies when a service is not ready. */
export async function requireReady(address: string): Promise<true> {
  const answer = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(2_000) });
  if (!answer.ok) throw new Error(`it says ${await answer.text()}`);
  return true;
}

function perService<T>(make: (name: ServiceName) => T): Record<ServiceName, T> {
  return Object.fromEntries(SERVICES.map((name) => [name, make(name)])) as Record<ServiceName, T>;
}
