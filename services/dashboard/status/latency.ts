import type { Queue } from 'bullmq';
import type { LabelJobResult } from '#shared/contracts/label-job.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/** `p50` and `p99` in ms; `since` and `last` are when the first and the last of these labels were finished, in ms since 1970. */
export type LatencyFigures = { labels: number; p50: number; p99: number; since: number; last: number };

/** When a label was asked for and when it was finished, in ms since 1970. */
type Times = { asked: number; finished: number };

/** Most labels that the latency is computed from. */
const MAX_LABELS = 500;

/**
 * Reads the latency of the last labels that were printed after `since`, in ms since 1970. Of each label it reads the time
 * and the result, not the payload. A job that was dropped, as nobody waited for its label any more, printed nothing.
 */
export async function readLatency(
  redis: RedisClient,
  queue: Queue,
  since: number,
): Promise<LatencyFigures | undefined> {
  const key = queue.toKey('completed');
  const found = await redis.zrevrangebyscore(key, '+inf', since, 'WITHSCORES', 'LIMIT', 0, MAX_LABELS);
  const pipeline = redis.pipeline();
  for (let i = 0; i < found.length; i += 2) {
    pipeline.hmget(queue.toKey(found[i] ?? ''), 'timestamp', 'returnvalue');
  }
  const jobs = (await pipeline.exec()) ?? [];
  return latencyOf(
    jobs.flatMap(([, job], i) => {
      const [time, result] = job as (string | null)[];
      // A job that has been removed meanwhile has no time.
      if (!time || wasDropped(result)) return [];
      return [{ asked: Number(time), finished: Number(found[2 * i + 1]) }];
    }),
  );
}

function wasDropped(result: string | null | undefined): boolean {
  return !!result && (JSON.parse(result) as Partial<LabelJobResult> | null)?.dropped === true;
}

/** Computes the latency by nearest rank; undefined without labels. @param labels the one finished last comes first. */
export function latencyOf(labels: readonly Times[]): LatencyFigures | undefined {
  const [last, first] = [labels[0], labels.at(-1)];
  if (!last || !first) return undefined;
  const sorted = labels.map(({ asked, finished }) => Math.max(0, finished - asked)).sort((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  const [p50, p99] = [percentile(0.5), percentile(0.99)];
  return { labels: sorted.length, p50, p99, since: first.finished, last: last.finished };
}
