import type { Result } from 'ioredis';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/**
 * Finished labels in Redis, by the label's key: the worker writes, the api reads. Bounded in bytes, since Redis must
 * not evict anything by itself (the queue is in it): room is made before a label is written.
 *
 * | key | value |
 * |---|---|
 * | `{prefix}:label:<key>` | a PDF; expires |
 * | `{prefix}:label-expiries` | sorted set of `<bytes> <Redis key of the label>` by the time of expiry in ms |
 * | `{prefix}:label-bytes` | the sum of those bytes |
 */

/**
 * Labels of more bytes live shortly, in seconds: long enough for their answer and a retry. They expire first, so they
 * also make room first, and cannot displace the others.
 */
const LARGE_BYTES = 100_000;
const LARGE_TTL_S = 60;
/** Expired labels that one script forgets at most, so that it stays short. */
const MAX_FORGOTTEN = 1_000;

/** Redis key of a label's finished PDF. */
export function labelBytesKey(prefix: string, key: string): string {
  return `${prefix}:label:${key}`;
}

/**
 * Forgets what has expired, then removes what expires next until `bytes` more fit. A full Redis runs a script up to
 * its first write that needs memory, and all of it once something was removed: so room is made also there.
 *
 * KEYS: the expiries, the sum. ARGV: the budget in bytes.
 */
const MAKE_ROOM = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local total = tonumber(redis.call('GET', KEYS[2]) or 0)
local function remove(entry)
  local size, label = string.match(entry, '^(%d+) (.*)$')
  redis.call('ZREM', KEYS[1], entry)
  redis.call('DEL', label)
  total = total - tonumber(size)
end
local function make_room(bytes)
  local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ${MAX_FORGOTTEN})
  for _, entry in ipairs(expired) do remove(entry) end
  while total + bytes > tonumber(ARGV[1]) do
    local next = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
    if not next then break end
    remove(next)
  end
  if redis.call('EXISTS', KEYS[1]) == 0 then total = 0 end
end`;

const TRIM = `${MAKE_ROOM}
make_room(0)
redis.call('SET', KEYS[2], total)`;

/** KEYS: also the label. ARGV: also the bytes of the label, seconds to live. */
const STORE = `${MAKE_ROOM}
local size = #ARGV[2]
make_room(size)
redis.call('SET', KEYS[3], ARGV[2], 'EX', ARGV[3])
if redis.call('ZADD', KEYS[1], now + 1000 * ARGV[3], size .. ' ' .. KEYS[3]) == 1 then total = total + size end
redis.call('SET', KEYS[2], total)`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    storeLabel(
      expiries: string,
      sum: string,
      label: string,
      budget: number,
      pdf: Buffer,
      ttlS: number,
    ): Result<null, Context>;
    trimLabels(expiries: string, sum: string, budget: number): Result<null, Context>;
  }
}

/**
 * Creates what stores finished labels within a budget.
 *
 * @param limits.ttlS how long a label is kept at most, in seconds.
 * @param limits.budget returns the bytes that all labels together may have now.
 */
export function labelWriter(
  redis: RedisClient,
  prefix: string,
  limits: { ttlS: number; budget: () => number },
) {
  redis.defineCommand('storeLabel', { numberOfKeys: 3, lua: STORE });
  redis.defineCommand('trimLabels', { numberOfKeys: 2, lua: TRIM });
  const expiries = `${prefix}:label-expiries`;
  const sum = labelSumKey(prefix);
  return {
    async store(key: string, pdf: Uint8Array): Promise<void> {
      const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
      const ttlS = bytes.length > LARGE_BYTES ? Math.min(LARGE_TTL_S, limits.ttlS) : limits.ttlS;
      await redis.storeLabel(expiries, sum, labelBytesKey(prefix, key), limits.budget(), bytes, ttlS);
    },
    /** Removes what is over the budget, also when no label is stored any more. */
    async trim(): Promise<void> {
      await redis.trimLabels(expiries, sum, limits.budget());
    },
  };
}

/** Creates what reads finished labels. */
export function labelReader(redis: RedisClient, prefix: string) {
  return {
    read: (key: string): Promise<Buffer | null> => redis.getBuffer(labelBytesKey(prefix, key)),
    /** Returns which of the labels are there. */
    async has(keys: readonly string[]): Promise<boolean[]> {
      const answers = redis.pipeline();
      for (const key of keys) answers.exists(labelBytesKey(prefix, key));
      return ((await answers.exec()) ?? []).map(([error, count]) => {
        if (error) throw error;
        return count === 1;
      });
    },
  };
}

/** Reads how many bytes the finished labels have. */
export async function readLabelBytes(redis: RedisClient, prefix: string): Promise<number> {
  return Number(await redis.get(labelSumKey(prefix)));
}

function labelSumKey(prefix: string): string {
  return `${prefix}:label-bytes`;
}
