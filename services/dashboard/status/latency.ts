import type { Queue } from 'bullmq';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/** `p50` and `p99` in ms; `since` is when the first of these labels was finished, in ms since 1970. */
export type LatencyFigures = { labels: number; p50: number; p99: number; since: number };

/** When a label was asked for and when it was finished, in ms since 1970. */
type Times = { asked: number; finished: number };

/** Most labels that the latency is computed from. */
const MAX_LABELS = 500;

/**
 * Reads the latency of the last labels that were finished after `since`, in ms since 1970. Of each label it reads the
 * times, not the payload.
 */
export async function readLatency(
  redis: RedisClient,
  queue: Queue,
  since: number,
): Promise<LatencyFigures | undefined> {
  const key = queue.toKey('completed');
  const found = await redis.zrevrangebyscore(key, '+inf', since, 'WITHSCORES', 'LIMIT', 0, MAX_LABELS);
  const pipeline = redis.pipeline();
  for (let i = 0; i < found.length; i += 2) pipeline.hget(queue.toKey(found[i] ?? ''), 'timestamp');
  const asked = (await pipeline.exec()) ?? [];
  return latencyOf(
    asked.flatMap(([, time], i) =>
      // A job that has been removed meanwhile has no time.
      typeof time === 'string' ? [{ asked: Number(time), finished: Number(found[2 * i + 1]) }] : [],
    ),
  );
}

/** Computes the latency by nearest rank; undefined without labels. @param labels the one finished last comes first. */
export function latencyOf(labels: readonly Times[]): LatencyFigures | undefined {
  const first = labels.at(-1);
  if (!first) return undefined;
  const sorted = labels.map(({ asked, finished }) => Math.max(0, finished - asked)).sort((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { labels: sorted.length, p50: percentile(0.5), p99: percentile(0.99), since: first.finished };
}
