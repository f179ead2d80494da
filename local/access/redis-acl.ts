import { createHash } from 'node:crypto';
import { ROOM_REDIS } from '#shared/rooms.ts';
import { REDIS_SERVICES, type RedisFamily, type RedisService } from '#shared/stores/redis-families.ts';

/**
 * The rights of Redis' users: a list of commands and a list of key patterns. Redis holds Lua scripts to both, and
 * refuses anything else with NOPERM (https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/).
 * Compose, Kubernetes, `npm start` and the tests use these rules, so a missing right shows on the first day.
 */

/** `operator` may do everything; no service has its password. */
export type RedisUser = RedisService | 'operator';
export type RedisPasswords = Readonly<Record<RedisUser, string>>;

/** Families of keys by purpose: those of rooms, of what all services share, and of the dashboard. */
export const REDIS_FAMILIES: Readonly<Record<string, RedisFamily>> = {
  ...ROOM_REDIS,
  answers: {
    keys: [':answers:*'],
    holds: "In the Redis of the labels: the last 20 answers about a guide's labels, also under a request id",
    life: '3 days, or until evicted',
    own: ['api'],
    read: ['dashboard'],
  },
  check: { keys: [':write-check'], holds: "The health check's write", life: '60 s', own: REDIS_SERVICES },
  counts: {
    keys: [':label-count:*'],
    holds:
      "Labels printed, users' actions by how they ended, and guides by how they got their price, in each minute",
    life: '2 h',
    own: ['api', 'label-worker', 'webhooks'],
    read: ['dashboard'],
  },
  workers: {
    keys: [':worker:*', ':workers'],
    holds: 'Heartbeats of label workers, with versions of templates; when each was last seen',
    life: '7 s; 10 min',
    own: ['label-worker'],
    read: ['api', 'dashboard'],
  },
  services: {
    ...{
      keys: [':service:*', ':services'],
      holds: 'The same of other services; for the api also the accounts with most 429',
      life: '7 s; 10 min',
      own: ['api', 'branches', 'webhooks'],
    },
    read: ['dashboard'],
  },
  sessions: {
    keys: [':session:*'],
    holds: 'Dashboard sessions, under the hash of their id',
    life: '8 h',
    own: ['dashboard'],
  },
  problems: {
    keys: [':problems'],
    holds: 'Diagnoses that dashboards have made',
    life: '1 h',
    own: ['dashboard'],
  },
  operatorLogins: {
    keys: [':dashboard-login-*'],
    holds: "The dashboard's, as `:login-*`",
    life: '15 min; 30 days',
    own: ['dashboard'],
  },
};

/**
 * The commands of BullMQ and its scripts, rate-limiter-flexible, ioredis and our code. Except for INFO and CONFIG
 * GET, each needs a key.
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

/** As ACL SETUSER takes them. @param prefix `REDIS_PREFIX`, in which `*` stands for any text. */
export function redisRules(service: RedisService, prefix: string): string[] {
  const keysOf = (may: 'own' | 'read' | 'channels', sign: string) =>
    Object.values(REDIS_FAMILIES)
      .filter((family) => family[may]?.includes(service))
      .flatMap(({ keys }) => keys.map((key) => `${sign}${prefix}${key}`));
  const commands = Object.values(COMMANDS).join(' ').split(' ');
  return [
    ...['resetkeys', 'resetchannels', '-@all'],
    ...keysOf('own', '~'),
    ...keysOf('read', '%R~'),
    ...keysOf('channels', '&'),
    ...commands.map((command) => `+${command}`),
  ];
}

/**
 * Renders the file of users (`aclfile`), with hashes of the passwords. `default`, the user of a client without a
 * name, is off. `health` may only PING and has no password, so a health check has no secret to show.
 *
 * @param previous passwords that are valid too, while a rotation is under way.
 */
export function redisAclFile(prefix: string, passwords: RedisPasswords, previous?: RedisPasswords): string {
  const hashesOf = (user: RedisUser) =>
    [passwords, previous].flatMap((each) => (each ? [hashOf(each[user])] : []));
  const users = REDIS_SERVICES.map((service) => [service, ...redisRules(service, prefix)]);
  const lines = [
    ...users.map(([name, ...rules]) => [name, 'on', ...hashesOf(name as RedisService), ...rules]),
    ['operator', 'on', ...hashesOf('operator'), '~*', '&*', '+@all'],
    ['health', 'on', 'nopass', 'resetkeys', 'resetchannels', '-@all', '+ping'],
    // Off, yet with all rights: Redis loads its append-only file with them, and would lose scripts and transactions.
    ['default', 'off', 'resetpass', '~*', '&*', '+@all'],
  ];
  return lines.map((words) => `user ${words.join(' ')}\n`).join('');
}

export function redisUrlOf(url: string, user: string, password: string): string {
  return Object.assign(new URL(url), { username: user, password }).href;
}

function hashOf(password: string): string {
  return `#${createHash('sha256').update(password).digest('hex')}`;
}
