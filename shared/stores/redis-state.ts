import type { RedisClient } from './redis-client.ts';

/** Sizes in bytes. */
export type RedisState = {
  usedBytes: number;
  /** 0: without limit. */
  maxBytes: number;
  /** maxmemory-policy. */
  policy: string;
  noeviction: boolean;
  /** Whether this Redis follows another one, and refuses our writes. */
  replica: boolean;
  /** Whether Redis writes an append-only file, and whether its last write to disk failed. */
  appendOnly: boolean;
  writesFail: boolean;
};

/** Of the append-only file, its shorter copy, and the snapshot. */
const DISK_STATUSES = ['aof_last_write_status', 'aof_last_bgrewrite_status', 'rdb_last_bgsave_status'];

/** Health checks write this key, because a full Redis still answers PING. Every service may write it. */
export function writeCheckKey(prefix: string): string {
  return `${prefix}:write-check`;
}

/** Uses INFO, because a managed Redis may forbid CONFIG. */
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

/** Returns whether a full Redis makes room for a write; undefined if its policy is unknown. */
export function evicts({ policy, noeviction }: RedisState): boolean | undefined {
  return policy === '' ? undefined : !noeviction;
}
