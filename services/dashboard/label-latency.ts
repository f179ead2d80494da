import type { Queue } from 'bullmq';
import type { LabelJobResult } from '#shared/printing/label-job.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/** The page tells of the labels that were printed within so many minutes. */
export const LATENCY_MINUTES = 5;
/** Most labels whose latency is read. */
const MAX_LABELS = 500;

/**
 * How long labels took, from the request that added the job (its `timestamp`) until the worker had stored the PDF (`at` of its
 * result). `p50` and `p99` in ms.
 */
export type LabelLatency = { labels: number; p50: number; p99: number };

/**
 * Reads the latency of the labels of the last `LATENCY_MINUTES`, without their payloads. Leaves out labels that were dropped.
 * Returns undefined if none was printed.
 * @param now in ms since 1970, by the clock of Redis.
 */
export async function readLabelLatency(
  redis: RedisClient,
  queue: Queue,
  now: number,
): Promise<LabelLatency | undefined> {
  const [key, since] = [queue.toKey('completed'), now - 60_000 * LATENCY_MINUTES];
  const found = await redis.zrevrangebyscore(key, '+inf', since, 'LIMIT', 0, MAX_LABELS);
  const pipeline = redis.pipeline();
  for (const id of found) pipeline.hmget(queue.toKey(id), 'timestamp', 'returnvalue');
  const jobs = (await pipeline.exec()) ?? [];
  return latencyOf(
    jobs.flatMap(([, job]) => {
      const [time, result] = job as (string | null)[];
      const { at } = (JSON.parse(result ?? 'null') ?? {}) as Partial<LabelJobResult>;
      return time && at ? [{ requested: Number(time), finished: at }] : [];
    }),
  );
}

/** Computes percentiles by nearest rank. @param labels in ms since 1970. */
export function latencyOf(
  labels: readonly { requested: number; finished: number }[],
): LabelLatency | undefined {
  if (labels.length === 0) return undefined;
  const sorted = labels
    .map(({ requested, finished }) => Math.max(0, finished - requested))
    .sort((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { labels: labels.length, p50: percentile(0.5), p99: percentile(0.99) };
}
