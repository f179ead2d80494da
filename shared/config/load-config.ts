import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Static, TObject } from 'typebox';
import { isStrongSecret } from './strong-secret.ts';

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
