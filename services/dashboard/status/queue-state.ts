import type { Job, Queue } from 'bullmq';
import type { LabelJob } from '#shared/contracts/label-job.ts';
import { DomainError } from '#shared/errors.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { type RedisState, readRedisState } from '#shared/stores/redis-state.ts';
import { aliveWorkers, type WorkerHeartbeat } from '#shared/stores/worker-heartbeat.ts';
import { explainFailure } from './failure-reasons.ts';
import { type LatencyFigures, readLatency } from './latency.ts';
import { requestIdOf, visibleLabel } from './visible-job.ts';

/** How far back the latency and the count of failures look, in ms. */
const RECENT_MS = 300_000;
/** Most failures that the page lists. */
const MAX_FAILURES = 20;

/** Times in ms since 1970, durations in ms. */
export type QueueState = {
  at: number;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  paused: boolean;
  /** Time since the oldest label that is not printed yet was asked for; undefined where every label is printed. */
  oldestMs: number | undefined;
  /** Undefined where no label was printed in the last five minutes. */
  latency: LatencyFigures | undefined;
  /** Failures in the last five minutes. */
  recentFailures: number;
  /** The last failures, the newest first. */
  failures: Failure[];
  workers: WorkerHeartbeat[];
  redis: RedisState;
};
export type Failure = { jobId: string; at: number; reason: string; guide: string; requestId: string };

/** Reads what the status page shows: a few bounded reads, whatever the queue's length. */
export async function readQueueState(options: {
  redis: RedisClient;
  prefix: string;
  queue: Queue<LabelJob>;
}): Promise<QueueState> {
  const { redis, prefix, queue } = options;
  // BullMQ would wait without a time limit for a Redis that was never there.
  if (redis.status !== 'ready') throw new DomainError('unavailable');
  const at = Date.now();
  const since = at - RECENT_MS;
  const [counts, paused, unfinished, latency, failed, recentFailures, workers, redisState] =
    await Promise.all([
      queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
      queue.isPaused(),
      queue.getJobs(['waiting', 'prioritized', 'active'], 0, 0, true),
      readLatency(redis, queue, since),
      queue.getJobs(['failed'], 0, MAX_FAILURES - 1),
      redis.zcount(queue.toKey('failed'), since, '+inf'),
      aliveWorkers(redis, prefix),
      readRedisState(redis),
    ]);
  return {
    at,
    waiting: (counts.waiting ?? 0) + (counts.prioritized ?? 0),
    active: counts.active ?? 0,
    delayed: counts.delayed ?? 0,
    failed: counts.failed ?? 0,
    paused,
    oldestMs: ageOfOldest(unfinished, at),
    latency,
    recentFailures,
    failures: failed.filter(Boolean).map(failureOf),
    workers,
    redis: redisState,
  };
}

/** BullMQ gives undefined for a job that has been removed meanwhile. */
function ageOfOldest(jobs: Job[], now: number): number | undefined {
  const times = jobs.filter(Boolean).map(({ timestamp }) => timestamp);
  return times.length === 0 ? undefined : now - Math.min(...times);
}

function failureOf(job: Job<LabelJob>): Failure {
  return {
    jobId: job.id ?? '',
    at: job.finishedOn ?? job.timestamp,
    reason: explainFailure(job.failedReason),
    guide: visibleLabel(job.data)?.guia ?? '',
    requestId: requestIdOf(job.data),
  };
}
