import { Type } from 'typebox';

/** A setting that must not be guessed. `writeOnly` marks secret settings, also those that only contain a password. */
export const SECRET = { minLength: 32, format: 'secret', writeOnly: true };

export const commonSettings = {
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on' }),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'Lowest severity that is logged',
  }),
};

/** An address may hold a password. */
const REDIS_ADDRESS = { format: 'redis-address', writeOnly: true };

export const redisSettings = {
  REDIS_URL: Type.String({
    ...REDIS_ADDRESS,
    description:
      'Redis of the queue, the branch cache, sessions, counters and heartbeats: redis:// or redis+sentinel://, with rediss for TLS',
    examples: ['redis://127.0.0.1:6379'],
  }),
  REDIS_PREFIX: Type.String({
    default: '{guias}',
    pattern: '^\\{[a-z0-9-]+\\}$',
    description: 'Prefix of every Redis key',
    examples: ['{guias}'],
  }),
};

/** Settings of services that know of each other by MongoDB, which cells share. */
export const cellSettings = {
  CELL: Type.String({
    default: '',
    pattern: '^[a-z0-9-]{0,63}$',
    description:
      'Name of the cell: of the processes that have one Redis and the same label workers. Needed where several share MongoDB. In Kubernetes, its namespace',
    examples: ['guias-2'],
  }),
};

/** Settings of services that write or read finished labels. */
export const labelCacheSettings = {
  LABEL_CACHE_URL: Type.String({
    ...REDIS_ADDRESS,
    description: 'Redis of the finished labels alone, with maxmemory-policy allkeys-lru and no persistence',
    examples: ['redis://127.0.0.1:6380'],
  }),
};

export const mongoSettings = {
  MONGODB_URI: Type.String({
    pattern: '^mongodb(\\+srv)?://[^/]+/[^/?]+',
    writeOnly: true,
    description:
      'MongoDB connection string, with the database in its path. Options that weaken writes or reads are refused',
    examples: ['mongodb://127.0.0.1:27017/guias'],
  }),
};

export const internalSettings = {
  INTERNAL_TOKEN: Type.String({
    ...SECRET,
    description: 'Secret for calls between services, at least 32 random characters',
    examples: ['$(openssl rand -hex 32)'],
  }),
};

export const calledSettings = {
  ...internalSettings,
  INTERNAL_TOKEN_PREVIOUS: Type.Optional(
    Type.String({
      ...SECRET,
      description: 'Second secret that is accepted, while INTERNAL_TOKEN is rotated',
    }),
  ),
};

/** Settings of services that others call all the time. */
export const servingSettings = {
  DRAIN_MS: Type.Integer({
    default: 1_000,
    minimum: 0,
    maximum: 300_000,
    description:
      "Time to keep serving after SIGTERM while reporting not ready, in ms. Longer than the load balancer's probe interval, well below 20 s",
  }),
};

/** Settings of services that count by the client's address. */
export const proxySettings = {
  TRUST_PROXY: Type.String({
    default: '',
    format: 'proxies',
    description:
      "Whose X-Forwarded-For is trusted: how many proxies are in front, or their addresses, separated by commas. Empty trusts none: all clients behind a proxy then share one client's limits",
    examples: ['1', '10.0.0.5,10.1.0.0/16'],
  }),
};

/** Settings of services that show people times, or count by days. */
export const localTimeSettings = {
  TIME_ZONE: Type.String({
    default: 'America/Mexico_City',
    format: 'time-zone',
    description:
      'IANA time zone of SEND_FECHA, of the days of GUIDES_PER_DAY_PER_ACCOUNT, of the days and hours of tariffs, and of the times on pages',
  }),
};

/** Where customers reach the api. */
export const publicAddress = Type.Optional(
  Type.String({
    pattern: '^https?://[^/]+(/.*[^/])?$',
    description:
      'Address of the API in its OpenAPI document and on pages. Without it the api uses the address of the request, and the dashboard links to no label',
    examples: ['https://guias.example'],
  }),
);

/** Where the canary answers: its page, its report and, at `/webhook`, the one webhook that only its account may have. */
export const canaryAddress = Type.String({
  format: 'service-url',
  description: 'Base URL of the service canary. Without it the canary has no webhook',
  examples: ['http://127.0.0.1:3006'],
});

/** Credentials of the canary. `admin canary` stores both in MongoDB, the key as a digest and the password as a hash. */
export const canaryCredentials = {
  CANARY_KEY: Type.String({
    ...SECRET,
    description: "API key of the canary's account, which `admin canary` stores",
    examples: ['gk_test_…'],
  }),
  CANARY_PASSWORD: Type.String({
    ...SECRET,
    description: 'Password of the user that only tries to log in, which `admin canary` stores',
    examples: ['$(openssl rand -hex 32)'],
  }),
};
