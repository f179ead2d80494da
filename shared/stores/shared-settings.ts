import { hkdfSync } from 'node:crypto';
import { placeOfRedis } from '../config/redis-address.ts';
import type { ServiceHeartbeat } from './heartbeat.ts';

/**
 * What processes must have in common. Each says a fingerprint of it in its heartbeat. A wrong secret is otherwise known to
 * nobody but those whom it refuses.
 */

type Service = ServiceHeartbeat['service'] | 'dashboard';
export type Process = Pick<ServiceHeartbeat, 'id' | 'host' | 'pid' | 'startedAt' | 'settings'> & {
  service: Service;
};

type Rule = {
  /** Who uses the value, and who must accept it. */
  by: readonly Service[];
  acceptedBy: readonly Service[];
  /** The setting with the former value, which is accepted too. */
  previous?: string;
  /** What is used without the value is accepted too. */
  isOptional?: true;
  /** No value is a value of its own. */
  mayBeUnset?: true;
};

const SECRETS: Readonly<Record<string, Rule>> = {
  JWT_SECRET: { by: ['api'], acceptedBy: ['api'], previous: 'JWT_SECRET_PREVIOUS' },
  INTERNAL_TOKEN: { by: ['api'], acceptedBy: ['branches', 'webhooks'], previous: 'INTERNAL_TOKEN_PREVIOUS' },
  WEBHOOK_SECRETS_KEY: {
    by: ['api'],
    acceptedBy: ['api', 'webhooks'],
    previous: 'WEBHOOK_SECRETS_KEY_PREVIOUS',
    isOptional: true,
  },
  NOTICES_SECRET: { by: ['api'], acceptedBy: ['api'], isOptional: true },
};
/** Customers would get now one, now another. Each is of the api alone. */
const OF_API = [
  ...['CARRIER_NAME', 'CARRIER_CONTACT', 'PUBLIC_URL', 'TRACKING_URL', 'CORS_ORIGINS', 'RETENTION_DAYS'],
  ...['JWT_TTL_S', 'GUIDES_PER_DAY_PER_ACCOUNT', 'LABEL_PAGES_PER_ACCOUNT'],
  ...['REQUESTS_PER_SECOND_PER_ACCOUNT', 'REQUESTS_BURST_PER_ACCOUNT'],
  ...['EVIDENCE_BUCKET', 'PICTURES_PER_DAY_PER_ACCOUNT'],
  ...['SMTP_URL', 'MAIL_FROM', 'NOTICES_PER_DAY_PER_ACCOUNT', 'PRIVACY_NOTICE_URL'],
];
const ALL: readonly Service[] = ['api', 'branches', 'webhooks', 'dashboard'];
const SHARED: Readonly<Record<string, Rule>> = {
  ...SECRETS,
  ...Object.fromEntries(OF_API.map((name) => [name, { ...among('api'), mayBeUnset: true }])),
  TIME_ZONE: among('api', 'dashboard'),
  CELL: among('api', 'webhooks', 'dashboard'),
  WEBHOOKS_ALLOW_NETWORKS: among('api', 'webhooks'),
  WEBHOOKS_ALLOW_PRIVATE: among('api', 'webhooks'),
  CANARY_URL: { ...among('api', 'webhooks'), mayBeUnset: true },
  MONGODB_URI: among(...ALL),
  LABEL_CACHE_URL: among('api', 'dashboard'),
};

function among(...services: readonly Service[]): Rule {
  return { by: services, acceptedBy: services };
}

/** A fingerprint that stands for no value. */
const NONE = '';
/** Of a secret of 32 characters or more, so few bits help nobody to guess it. */
const FINGERPRINT_BYTES = 4;

/** Returns the fingerprints of a service's settings: of the value that it uses, and of the former one that it accepts. */
export function fingerprintsOf(config: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const names = Object.entries(SHARED).flatMap(([name, { isOptional, mayBeUnset }]) =>
    name in config || isOptional || mayBeUnset ? [name] : [],
  );
  return Object.fromEntries(
    names.map((name) => {
      const previous = config[SHARED[name]?.previous ?? ''];
      const former = previous === undefined ? [] : [fingerprint(name, String(previous))];
      const value = config[name];
      return [name, [value === undefined ? NONE : fingerprint(name, String(value)), ...former]];
    }),
  );
}

/** Returns the fingerprints of the secrets that a process uses, by their settings, of what `fingerprintsOf` returned. */
export function secretsInUse(settings: Readonly<Record<string, readonly string[]>>): [string, string][] {
  return Object.keys(SECRETS).flatMap((name): [string, string][] => {
    const [current = NONE] = settings[name] ?? [];
    return current === NONE ? [] : [[name, current]];
  });
}

function fingerprint(name: string, value: string): string {
  const text = comparable(name, value);
  return Buffer.from(hkdfSync('sha256', text, '', `fingerprint of ${name}`, FINGERPRINT_BYTES)).toString(
    'hex',
  );
}

/** Returns what counts of a value. Each service has its own user and password in an address. */
function comparable(name: string, value: string): string {
  if (name === 'MONGODB_URI') return /^[^/]*\/\/[^/]+\/([^?]*)/.exec(value)?.[1] ?? '';
  return name === 'LABEL_CACHE_URL' ? placeOfRedis(value) : value;
}

/** Processes that disagree on a setting. `odd`: who disagrees with most, or of two the younger one. */
export type Difference = { setting: string; isSecret: boolean; odd: Process; others: readonly Process[] };

/** Returns the settings that are not the same in all processes. A secret whose former value is accepted is. */
export function differences(processes: readonly Process[]): Difference[] {
  return Object.keys(SHARED).flatMap((setting) => {
    const [worst] = processes
      .map((odd) => ({ odd, others: processes.filter((other) => disagree(setting, odd, other)) }))
      .filter(({ others }) => others.length > 0)
      .sort((a, b) => b.others.length - a.others.length || b.odd.startedAt - a.odd.startedAt);
    return worst ? [{ setting, isSecret: setting in SECRETS, ...worst }] : [];
  });
}

/**
 * Refuses a process that has another secret than most of those that were there before it and have one. Otherwise nobody could
 * begin to use an optional one.
 * @throws Error that names the secret and one of the others.
 */
export function requireSameSecrets(own: Process, alive: readonly Process[]): void {
  const older = alive.filter(({ id, startedAt }) => id !== own.id && startedAt < own.startedAt);
  for (const setting of Object.keys(SECRETS)) {
    const concerned = older.filter((other) => concerns(setting, own, other) && knowsOne(setting, other));
    const different = concerned.filter((other) => disagree(setting, own, other));
    const [first] = different;
    if (!first || different.length <= concerned.length / 2) continue;
    const { service, host, pid } = first;
    const most = `${different.length} of ${concerned.length} processes`;
    throw new Error(`${setting} is not that of ${most}, such as ${service} on ${host}, pid ${pid}`);
  }
}

function concerns(setting: string, one: Process, other: Process): boolean {
  if (!one.settings[setting] || !other.settings[setting]) return false;
  const { by = [], acceptedBy = [] } = SHARED[setting] ?? {};
  const uses = (user: Process, acceptor: Process) =>
    by.includes(user.service) && acceptedBy.includes(acceptor.service);
  return uses(one, other) || uses(other, one);
}

/** Returns whether a process has a value, or a former one. */
function knowsOne(setting: string, { settings }: Process): boolean {
  return settings[setting]?.some((fingerprint) => fingerprint !== NONE) ?? false;
}

function disagree(setting: string, one: Process, other: Process): boolean {
  if (one.id === other.id || !concerns(setting, one, other)) return false;
  const { by = [], acceptedBy = [] } = SHARED[setting] ?? {};
  const refuses = (acceptor: Process, user: Process) =>
    by.includes(user.service) && acceptedBy.includes(acceptor.service) && !accepts(setting, acceptor, user);
  return refuses(one, other) || refuses(other, one);
}

/** Returns whether a process accepts what another uses. If the other has just replaced the value, it soon will. */
function accepts(setting: string, acceptor: Process, user: Process): boolean {
  const [accepted = [], used = []] = [acceptor, user].map(({ settings }) => settings[setting] ?? []);
  const [current = NONE, ...former] = used;
  if (current === NONE && SHARED[setting]?.isOptional) return true;
  return accepted.includes(current) || former.includes(accepted[0] ?? NONE);
}
