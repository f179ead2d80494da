/** The services that use Redis. Each has a user of its name. */
export const REDIS_SERVICES = ['api', 'branches', 'label-worker', 'dashboard', 'webhooks'] as const;
export type RedisService = (typeof REDIS_SERVICES)[number];

/** Keys of one purpose, and who may use them (docs/rooms.md). */
export type RedisFamily = {
  /** Patterns, after the prefix. */
  keys: readonly string[];
  /** What they hold, and for how long, in English. Several keys have their words between semicolons. */
  holds: string;
  life: string;
  /** Who reads and writes them. */
  own: readonly RedisService[];
  /** Who only reads them. */
  read?: readonly RedisService[];
  /** Who publishes or receives news in channels of these names. */
  channels?: readonly RedisService[];
};
