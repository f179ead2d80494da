import { createHash } from 'node:crypto';

/**
 * What each user of Redis may do. The rules have one source, which Compose, Kubernetes, `npm start` and the tests render:
 * a permission that is missing shows on the first day.
 *
 * A user has a list of commands and a list of key patterns; Redis also holds Lua scripts to both. What is not listed is
 * refused with NOPERM (https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/).
 */

/** The services, each with a user of its own name. */
export const REDIS_SERVICES = ['api', 'branches', 'label-worker', 'dashboard', 'webhooks'] as const;
export type RedisService = (typeof REDIS_SERVICES)[number];
/** Users with a password. `operator` may do everything; no service has its password. */
export type RedisUser = RedisService | 'operator';
export type RedisPasswords = Readonly<Record<RedisUser, string>>;

/** Families of keys by their purpose: patterns, after the prefix. docs/architecture.md says what they hold. */
export const REDIS_KEYS = {
  queue: [':labels:*'],
  labels: [':label:*'],
  check: [':write-check'],
  counts: [':label-count:*'],
  workers: [':worker:*', ':workers'],
  services: [':service:*', ':services'],
  branches: [':branches', ':branches:*'],
  sessions: [':session:*'],
  logins: [':login-*'],
  visits: [':tracking:*'],
  operatorLogins: [':dashboard-login-*'],
  requests: [':requests-*'],
  retention: [':retention', ':retention-lease'],
  quotas: [':guides-account:*'],
} as const satisfies Record<string, readonly string[]>;
type Family = keyof typeof REDIS_KEYS;

/** The families that each service reads and writes, those that it only reads, and whether it hears or tells of labels. */
export const REDIS_FAMILIES: Readonly<
  Record<RedisService, { own: Family[]; read?: Family[]; channels?: true }>
> = {
  api: {
    own: ['queue', 'counts', 'logins', 'visits', 'requests', 'quotas', 'retention', 'services', 'check'],
    read: ['labels', 'workers'],
    channels: true,
  },
  branches: { own: ['branches', 'services', 'check'] },
  'label-worker': { own: ['queue', 'counts', 'labels', 'workers', 'check'], channels: true },
  dashboard: {
    own: ['queue', 'sessions', 'operatorLogins', 'check'],
    read: ['counts', 'workers', 'services'],
  },
  webhooks: { own: ['services', 'check'] },
};

/**
 * The commands of all services, on the keys of each: those that BullMQ and its scripts, rate-limiter-flexible, ioredis and
 * our own code send. None reads or changes what has no key, but for INFO and CONFIG GET.
 */
const COMMANDS = {
  connection: 'ping hello select info config|get client|setname',
  transactions: 'multi exec discard eval evalsha script|load script|exists time',
  keys: 'del unlink exists type expire pexpire pexpireat persist ttl pttl rename',
  strings: 'get mget set incr incrby decrby',
  hashes: 'hget hmget hgetall hset hmset hdel hexists hlen hincrby hscan',
  lists: 'lpush rpush lpop rpop rpoplpush lrange lindex llen lpos lrem lset ltrim',
  sets: 'sadd srem scard sismember smembers spop sscan',
  sorted:
    'zadd zrem zcard zcount zscore zrange zrevrange zrangebyscore zrevrangebyscore zrangebylex zlexcount zpopmin bzpopmin zremrangebyrank zremrangebyscore',
  channels: 'publish subscribe unsubscribe pubsub|numsub',
  streams: 'xadd xdel xlen xrange xread xtrim',
};

/** Returns the rules of a service, as ACL SETUSER takes them. @param prefix `REDIS_PREFIX`, in which `*` stands for any text. */
export function redisRules(service: RedisService, prefix: string): string[] {
  const { own, read = [], channels } = REDIS_FAMILIES[service];
  const patterns = (families: Family[], permission: string) =>
    families.flatMap((family) => REDIS_KEYS[family]).map((key) => `${permission}~${prefix}${key}`);
  const commands = Object.values(COMMANDS).join(' ').split(' ');
  return [
    ...['resetkeys', 'resetchannels', '-@all'],
    ...patterns(own, ''),
    ...patterns(read, '%R'),
    ...(channels ? REDIS_KEYS.labels.map((channel) => `&${prefix}${channel}`) : []),
    ...commands.map((command) => `+${command}`),
  ];
}

/**
 * Renders the file of users (`aclfile`), which holds hashes of the passwords alone. `default`, whom a client without a name
 * becomes, is off. `health` needs no password, and may do nothing but PING: a health check then has no secret to show.
 */
export function redisAclFile(prefix: string, passwords: RedisPasswords): string {
  const users = REDIS_SERVICES.map((service) => [service, ...redisRules(service, prefix)]);
  const lines = [
    ...users.map(([name, ...rules]) => [name, 'on', hashOf(passwords[name as RedisService]), ...rules]),
    ['operator', 'on', hashOf(passwords.operator), '~*', '&*', '+@all'],
    ['health', 'on', 'nopass', 'resetkeys', 'resetchannels', '-@all', '+ping'],
    // Off, yet with all rights: Redis loads its append-only file with them, and would lose scripts and transactions.
    ['default', 'off', 'resetpass', '~*', '&*', '+@all'],
  ];
  return lines.map((words) => `user ${words.join(' ')}\n`).join('');
}

/** Returns a Redis URL with a user and the user's password. */
export function redisUrlOf(url: string, user: string, password: string): string {
  return Object.assign(new URL(url), { username: user, password }).href;
}

function hashOf(password: string): string {
  return `#${createHash('sha256').update(password).digest('hex')}`;
}
