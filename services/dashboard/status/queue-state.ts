import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { LabelJob } from '#shared/contracts/label-job.ts';
import { aliveWorkers, type WorkerHeartbeat } from '#shared/contracts/worker-heartbeat.ts';
import { requestIdOf, visibleLabel } from '../plugins/visible-job.ts';
import { reasonOf } from './failure-reasons.ts';
import { type LatencyFigures, latencyOf } from './latency.ts';

/** What counts as now, in ms: for latency and for failures. */
export const RECENT_MS = 300_000;
/** Most labels that the latency is taken of, and most failures that are shown. */
const MOST_LABELS = 500;
const MOST_FAILURES = 20;

/** Times in ms since 1970, durations in ms, sizes in bytes. */
export type QueueState = {
  at: number;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  paused: boolean;
  /** Since the oldest label that is not printed yet was asked for; undefined where there is none. */
  oldestMs: number | undefined;
  /** Of the last labels printed; undefined where there was none in the last five minutes. */
  latency: LatencyFigures | undefined;
  recentFailures: number;
  failures: Failure[];
  workers: WorkerHeartbeat[];
  redis: RedisState;
};
export type Failure = { jobId: string; at: number; reason: string; guide: string; requestId: string };
export type RedisState = {
  usedBytes: number;
  /** 0: without limit. */
  maxBytes: number;
  noeviction: boolean;
  /** Whether writes are kept on disk, and whether the last one was. */
  appendOnly: boolean;
  writesFail: boolean;
};

/** Reads what the page shows: a few bounded reads, whatever the queue's length. */
export async function readQueueState(options: {
  redis: Redis;
  prefix: string;
  queue: Queue<LabelJob>;
}): Promise<QueueState> {
  const { redis, prefix, queue } = options;
  const at = Date.now();
  const [counts, paused, unfinished, latency, failed, recentFailures, workers, info] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    queue.isPaused(),
    queue.getJobs(['waiting', 'active'], 0, 0, true),
    readLatency(redis, queue, at),
    queue.getJobs(['failed'], 0, MOST_FAILURES - 1),
    redis.zcount(queue.toKey('failed'), at - RECENT_MS, '+inf'),
    aliveWorkers(redis, prefix),
    redis.info(),
  ]);
  return {
    at,
    waiting: (counts.waiting ?? 0) + (counts.prioritized ?? 0),
    active: counts.active ?? 0,
    delayed: counts.delayed ?? 0,
    failed: counts.failed ?? 0,
    paused,
    oldestMs: oldest(unfinished, at),
    latency,
    recentFailures,
    failures: failed.filter(Boolean).map(failureOf),
    workers,
    redis: redisState(info),
  };
}

/** A value read at most once in `ms`, however many ask for it; one that could not be read is read again. */
export function atMostEvery<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => {
    if (!value) {
      value = read();
      const forget = () => {
        value = undefined;
      };
      value.then(() => setTimeout(forget, ms).unref(), forget);
    }
    return value;
  };
}

/** Only times are read of the labels, not their payloads. */
async function readLatency(redis: Redis, queue: Queue, now: number): Promise<LatencyFigures | undefined> {
  const range = [
    queue.toKey('completed'),
    '+inf',
    now - RECENT_MS,
    'WITHSCORES',
    'LIMIT',
    0,
    MOST_LABELS,
  ] as const;
  const found = await redis.zrevrangebyscore(...range);
  const labels = found.flatMap((id, i) => (i % 2 === 0 ? [{ id, finished: Number(found[i + 1]) }] : []));
  const pipeline = redis.pipeline();
  for (const { id } of labels) pipeline.hget(queue.toKey(id), 'timestamp');
  const asked = (await pipeline.exec()) ?? [];
  return latencyOf(
    labels.flatMap(({ finished }, i) => {
      const time = asked[i]?.[1]; // null where the job has gone meanwhile
      return typeof time === 'string' ? [{ asked: Number(time), finished }] : [];
    }),
  );
}

function oldest(jobs: Job[], now: number): number | undefined {
  const times = jobs.filter(Boolean).map(({ timestamp }) => timestamp);
  return times.length === 0 ? undefined : now - Math.min(...times);
}

function failureOf(job: Job<LabelJob>): Failure {
  return {
    jobId: job.id ?? '',
    at: job.finishedOn ?? job.timestamp,
    reason: reasonOf(job.failedReason),
    guide: visibleLabel(job.data)?.guia ?? '',
    requestId: requestIdOf(job.data),
  };
}

/** @param info the answer to INFO, which also a managed Redis gives that forbids CONFIG. */
function redisState(info: string): RedisState {
  const value = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  return {
    usedBytes: Number(value('used_memory') ?? 0),
    maxBytes: Number(value('maxmemory') ?? 0),
    noeviction: value('maxmemory_policy') === 'noeviction',
    appendOnly: value('aof_enabled') === '1',
    writesFail: value('aof_last_write_status') === 'err' || value('rdb_last_bgsave_status') === 'err',
  };
}
