import type { Queue } from 'bullmq';
import { LABELS_SLOW } from '#shared/observability/thresholds.ts';
import type { LabelJobResult } from '#shared/printing/label-job.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/** Most labels whose latency is read. */
const MAX_LABELS = 500;

/**
 * How long labels took, from the request that added the job (its `timestamp`) until the worker had stored the PDF (`at` of its
 * result). `p50` and `p99` in ms; `slow`: how many took longer than `LABELS_SLOW.slowMs`; `sinceSlow`: how many were printed
 * after the last of these; `last` and `lastSlow`: the end of the last label, and of the last slow one, in ms since 1970.
 */
export type LabelLatency = {
  labels: number;
  p50: number;
  p99: number;
  slow: number;
  sinceSlow: number;
  last: number;
  lastSlow: number | undefined;
};

/**
 * Reads the latency of the last labels in the window of `LABELS_SLOW`, without their payloads. Leaves out labels that were dropped.
 * Returns undefined if none was printed.
 * @param now in ms since 1970, by the clock of Redis.
 */
export async function readLabelLatency(
  redis: RedisClient,
  queue: Queue,
  now: number,
): Promise<LabelLatency | undefined> {
  const [key, since] = [queue.toKey('completed'), now - 60_000 * LABELS_SLOW.windowMinutes];
  const found = await redis.zrevrangebyscore(key, '+inf', since, 'WITHSCORES', 'LIMIT', 0, MAX_LABELS);
  const pipeline = redis.pipeline();
  for (let i = 0; i < found.length; i += 2) {
    pipeline.hmget(queue.toKey(found[i] ?? ''), 'timestamp', 'returnvalue');
  }
  const jobs = (await pipeline.exec()) ?? [];
  return latencyOf(
    jobs.flatMap(([, job], i) => {
      const [time, result] = job as (string | null)[];
      const { dropped, at } = (JSON.parse(result ?? 'null') ?? {}) as Partial<LabelJobResult>;
      return time && !dropped ? [{ asked: Number(time), finished: at ?? Number(found[2 * i + 1]) }] : [];
    }),
  );
}

/** Computes percentiles by nearest rank. @param labels in ms since 1970; the label finished last comes first. */
export function latencyOf(labels: readonly { asked: number; finished: number }[]): LabelLatency | undefined {
  const [last] = labels;
  if (!last) return undefined;
  const latencies = labels.map(({ asked, finished }) => Math.max(0, finished - asked));
  const isSlow = (ms: number) => ms > LABELS_SLOW.slowMs;
  const sorted = latencies.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  const [p50, p99] = [percentile(0.5), percentile(0.99)];
  const slow = latencies.filter(isSlow).length;
  const sinceSlow = slow > 0 ? latencies.findIndex(isSlow) : latencies.length;
  const lastSlow = labels[sinceSlow]?.finished;
  return { labels: latencies.length, p50, p99, slow, sinceSlow, last: last.finished, lastSlow };
}
