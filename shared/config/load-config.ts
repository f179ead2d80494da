import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Static, TObject } from 'typebox';
import { explainContact } from './contact.ts';
import { explainNetworks } from './networks.ts';
import { explainProxies } from './proxies.ts';
import { explainRedisAddress } from './redis-address.ts';

/** A variable that is wrong, or missing, with an example of a right one. */
export type WrongSetting = { name: string; isMissing: boolean; example?: string };

export class ConfigError extends Error {
  override name = 'ConfigError';
  /** What the message describes, for those who read another language; empty if that is not a whole variable. */
  readonly settings: readonly WrongSetting[];

  constructor(
    message: string,
    { settings = [], ...options }: ErrorOptions & { settings?: WrongSetting[] } = {},
  ) {
    super(message, options);
    this.settings = settings;
  }
}

type Setting = { description?: string; examples?: unknown[] };

const ajv = new Ajv({
  allErrors: true,
  coerceTypes: true,
  useDefaults: true,
  strict: true,
  verbose: true,
  validateSchema: false,
});
addFormats.default(ajv);

/**
 * Reads a service's settings from the environment, checks and freezes them. A value may also come from a file:
 * `JWT_SECRET_FILE=/run/secrets/jwt` (secrets of Docker and Kubernetes). An empty variable counts as absent, because
 * Compose and Kubernetes pass unset ones so.
 * @throws ConfigError with every wrong variable, its problem, and an example.
 */
export function loadConfig<S extends TObject>(schema: S, env: NodeJS.ProcessEnv): Readonly<Static<S>> {
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.properties)) {
    const value = env[name] || readSecretFile(name, env[`${name}_FILE`]);
    if (value) values[name] = value;
  }
  const validate = ajv.compile<Static<S>>(schema);
  if (validate(values)) return Object.freeze(values);
  const errors = validate.errors ?? [];
  const lines = errors.map((error) => `  ${explain(schema, error)}`);
  throw new ConfigError(`Wrong configuration:\n${[...new Set(lines)].join('\n')}`, {
    settings: errors.map((error) => wrongSetting(schema, error)),
  });
}

function readSecretFile(name: string, path: string | undefined): string | undefined {
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ConfigError(`Wrong configuration:\n  ${name}_FILE: cannot read ${path}`, { cause });
  }
}

/** Placeholders of examples. Each has six characters or more, because random secrets may contain shorter words. */
const PLACEHOLDER =
  /change|replac|your[-_ ][a-z0-9]|secret|passwo|passwd|exampl|sample|default|insert|[<>]|cambi[ae]|reempl|ejempl|clave[-_ ]|contras/i;
/** In bytes. Random secrets compress to more; `0123456789abcdef`, repeated four times, compresses to less. */
const LEAST_CONTENT = 24;

/**
 * Returns whether a secret looks random. An example's text does not, and a compressor finds few characters or a repeated
 * word. This only stops the usual bad secrets (CWE-1391, CWE-798).
 */
export function isStrongSecret(value: string): boolean {
  return !PLACEHOLDER.test(value) && deflateRawSync(value, { level: 9 }).length >= LEAST_CONTENT;
}

const WEAK =
  'can be guessed: it repeats itself, or is the value of an example. Make one with: openssl rand -hex 32';

/** Each format returns what is wrong with a value, without the value itself. */
const FORMATS: Record<string, (value: string) => string | undefined> = {
  secret: (value) => (isStrongSecret(value) ? undefined : WEAK),
  'redis-address': explainRedisAddress,
  'service-url': explainServiceUrl,
  networks: explainNetworks,
  contact: explainContact,
  proxies: explainProxies,
  'time-zone': explainTimeZone,
};
for (const [format, wrongWith] of Object.entries(FORMATS)) ajv.addFormat(format, (text) => !wrongWith(text));

/** Refuses paths, because our client adds its own. */
function explainServiceUrl(value: string): string | undefined {
  const url = URL.parse(value);
  const bare = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return bare ? undefined : 'must be http:// or https:// with a host, a port if need be, and nothing else';
}

function wrongSetting(schema: TObject, error: ErrorObject): WrongSetting {
  const isMissing = error.keyword === 'required';
  const name = isMissing ? String(error.params.missingProperty) : error.instancePath.slice(1);
  const { examples }: Setting = schema.properties[name] ?? {};
  return { name, isMissing, ...(examples && { example: `${name}=${examples[0]}` }) };
}

function explain(schema: TObject, error: ErrorObject): string {
  const { name, isMissing, example } = wrongSetting(schema, error);
  const { description }: Setting = schema.properties[name] ?? {};
  const format = error.keyword === 'format' ? FORMATS[error.params.format] : undefined;
  const wrong = isMissing ? 'is not set' : (format?.(String(error.data)) ?? error.message);
  return `${name} ${wrong}. ${description ?? ''}.${example ? ` Example: ${example}` : ''}`;
}

function explainTimeZone(value: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return undefined;
  } catch {
    return 'is not an IANA time zone';
  }
}
