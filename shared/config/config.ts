import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { type Static, type TObject, Type } from 'typebox';
import { isStrongSecret } from './strong-secret.ts';

/**
 * Part of the schema of a setting that nobody may guess; `explain` says in words what the format means. `writeOnly`
 * marks what is to be kept secret, also where it only holds a password.
 */
export const SECRET = { minLength: 32, format: 'secret', writeOnly: true };

/** Settings that every service has. A service's own schema is `Type.Object({ ...commonSettings, … })`. */
export const commonSettings = {
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on' }),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'Least severe level that is logged',
  }),
  SHUTDOWN_MS: Type.Integer({
    default: 20_000,
    minimum: 100,
    description: 'Longest graceful shutdown, in ms; keep it below the grace period of the pod',
  }),
};

export const redisSettings = {
  REDIS_URL: Type.String({
    pattern: '^rediss?://.',
    writeOnly: true,
    description: 'Redis of the queue, the finished labels and the branch cache',
    examples: ['redis://127.0.0.1:6379'],
  }),
  REDIS_PREFIX: Type.String({
    default: '{guias}',
    pattern: '^\\{[a-z0-9-]+\\}$',
    description: 'First part of every key; the braces keep all keys of the queue in one Redis Cluster slot',
    examples: ['{guias}'],
  }),
};

export const mongoSettings = {
  MONGODB_URI: Type.String({
    pattern: '^mongodb(\\+srv)?://[^/]+/[^/?]+',
    writeOnly: true,
    description: 'MongoDB with the database name in its path',
    examples: ['mongodb://127.0.0.1:27017/guias'],
  }),
};

export const internalSettings = {
  INTERNAL_TOKEN: Type.String({
    ...SECRET,
    description: 'Shared secret of the calls between services, 32 random characters or more',
    examples: ['$(openssl rand -hex 32)'],
  }),
};

/** Of services that others call all the time. */
export const servingSettings = {
  DRAIN_MS: Type.Integer({
    default: 1_000,
    minimum: 0,
    description:
      'How long a service that was asked to end still serves, not ready any more and ending each connection with its answer, in ms: as long as who balances the load takes to see it; well below SHUTDOWN_MS',
  }),
};

/** Of services where people or programs log in. */
export const loginSettings = {
  LOGIN_FAILURES_PER_USER: Type.Integer({
    default: 10,
    minimum: 1,
    description: 'Failed logins of one user in 15 minutes; a right password starts anew',
  }),
  LOGIN_FAILURES_PER_ADDRESS: Type.Integer({
    default: 100,
    minimum: 1,
    description: 'Failed logins from one address in 15 minutes',
  }),
  TRUST_PROXY: Type.String({
    default: '',
    description:
      "Addresses of proxies whose X-Forwarded-For is believed, separated by commas; '' believes none",
    examples: ['10.0.0.0/8'],
  }),
};

export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads a service's settings from the environment, checks them and freezes them.
 *
 * A value may also come from a file: `JWT_SECRET_FILE=/run/secrets/jwt` (the way of Docker and Kubernetes
 * secrets). An empty variable counts as absent, as Compose and Kubernetes hand over unset ones.
 *
 * @throws ConfigError naming every wrong variable, what is wrong with it, and an example.
 */
export function loadConfig<S extends TObject>(schema: S, env: NodeJS.ProcessEnv): Readonly<Static<S>> {
  const names = Object.keys(schema.properties);
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const value = env[name] || readSecretFile(name, env[`${name}_FILE`]);
    if (value) values[name] = value;
  }
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, strict: true });
  addFormats.default(ajv);
  ajv.addFormat('secret', isStrongSecret);
  const validate = ajv.compile<Static<S>>(schema);
  if (validate(values)) return Object.freeze(values);
  const lines = (validate.errors ?? []).map((error) => `  ${explain(schema, error)}`);
  throw new ConfigError(`Wrong configuration:\n${[...new Set(lines)].join('\n')}`);
}

function readSecretFile(name: string, path: string | undefined): string | undefined {
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ConfigError(`Wrong configuration:\n  ${name}_FILE: cannot read ${path}`, { cause });
  }
}

const WEAK =
  'can be guessed: it repeats itself, or is the value of an example. Make one with: openssl rand -hex 32';

function explain(schema: TObject, error: ErrorObject): string {
  const missing = error.keyword === 'required';
  const name = missing ? String(error.params.missingProperty) : error.instancePath.slice(1);
  const { description, examples } = (schema.properties[name] ?? {}) as {
    description?: string;
    examples?: unknown[];
  };
  const weak = error.keyword === 'format' && error.params.format === 'secret';
  const wrong = missing ? 'is not set' : weak ? WEAK : error.message;
  const example = examples ? ` Example: ${name}=${examples[0]}` : '';
  return `${name} ${wrong}. ${description ?? ''}.${example}`;
}
