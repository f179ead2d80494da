import type { Redis, Result } from 'ioredis';

/**
 * Finished labels in Redis, by the label's key: the worker writes, the api reads. Bounded by age, and by number,
 * since a Redis that must not evict (the queue is in it) would otherwise fill up: the oldest go first.
 */

/** Redis key of a label's finished PDF. */
export function labelBytesKey(prefix: string, key: string): string {
  return `${prefix}:label:${key}`;
}

/** KEYS: the label, the list of all, newest first. ARGV: the bytes, seconds to live, the most labels. */
const STORE = `
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
if redis.call('LPUSH', KEYS[2], KEYS[1]) > tonumber(ARGV[3]) then
  redis.call('DEL', redis.call('RPOP', KEYS[2]))
end`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    storeLabel(label: string, list: string, pdf: Buffer, ttlS: number, most: number): Result<null, Context>;
  }
}

/** @param limits.ttlS how long a label is kept, in seconds; `limits.most` how many at most. */
export function labelWriter(redis: Redis, prefix: string, limits: { ttlS: number; most: number }) {
  redis.defineCommand('storeLabel', { numberOfKeys: 2, lua: STORE });
  return async (key: string, pdf: Uint8Array): Promise<void> => {
    const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
    await redis.storeLabel(
      labelBytesKey(prefix, key),
      `${prefix}:labels-kept`,
      bytes,
      limits.ttlS,
      limits.most,
    );
  };
}

export function labelReader(redis: Redis, prefix: string) {
  return (key: string): Promise<Buffer | null> => redis.getBuffer(labelBytesKey(prefix, key));
}
