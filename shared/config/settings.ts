import { Type } from 'typebox';

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
