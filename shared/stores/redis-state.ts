import type { RedisClient } from './redis-client.ts';

/** Sizes in bytes. */
export type RedisState = {
  usedBytes: number;
  /** 0: without limit. */
  maxBytes: number;
  /** maxmemory-policy. */
  policy: string;
  noeviction: boolean;
  /** Whether it follows another Redis, and takes no writes of ours. */
  replica: boolean;
  /** Whether Redis writes to its append-only file, and whether a write to disk failed last time. */
  appendOnly: boolean;
  writesFail: boolean;
};

/** How the last writes to the append-only file, of its shorter copy, and of a snapshot ended. */
const DISK_STATUSES = ['aof_last_write_status', 'aof_last_bgrewrite_status', 'rdb_last_bgsave_status'];

/** Returns the key that health checks write: a full Redis still answers PING. Every service may. */
export function writeCheckKey(prefix: string): string {
  return `${prefix}:write-check`;
}

/** Reads the state of Redis by INFO, which a managed Redis that forbids CONFIG answers too. */
export async function readRedisState(redis: RedisClient): Promise<RedisState> {
  const info = await redis.info();
  const value = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const policy = value('maxmemory_policy') ?? '';
  return {
    usedBytes: Number(value('used_memory') ?? 0),
    maxBytes: Number(value('maxmemory') ?? 0),
    policy,
    noeviction: policy === 'noeviction',
    replica: value('role') === 'slave',
    appendOnly: value('aof_enabled') === '1',
    writesFail: DISK_STATUSES.some((name) => value(name) === 'err'),
  };
}

/** Returns whether Redis makes room for a write when it is full; undefined where it does not tell its policy. */
export function evicts({ policy, noeviction }: RedisState): boolean | undefined {
  return policy === '' ? undefined : !noeviction;
}
