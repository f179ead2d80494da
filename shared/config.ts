import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { type Static, type TObject, Type } from 'typebox';

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
    description: 'MongoDB with the database name in its path',
    examples: ['mongodb://127.0.0.1:27017/guias'],
  }),
};

export const internalSettings = {
  INTERNAL_TOKEN: Type.String({
    minLength: 32,
    description: 'Shared secret of the calls between services, 32 characters or more',
    examples: ['$(openssl rand -hex 32)'],
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

function explain(schema: TObject, error: ErrorObject): string {
  const missing = error.keyword === 'required';
  const name = missing ? String(error.params.missingProperty) : error.instancePath.slice(1);
  const { description, examples } = (schema.properties[name] ?? {}) as {
    description?: string;
    examples?: unknown[];
  };
  const wrong = missing ? 'is not set' : error.message;
  const example = examples ? ` Example: ${name}=${examples[0]}` : '';
  return `${name} ${wrong}. ${description ?? ''}.${example}`;
}
