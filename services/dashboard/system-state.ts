import type { Job, Queue } from 'bullmq';
import {
  type ActionSums,
  type MinuteCounts,
  readActionSums,
  readLabelCounts,
} from '#shared/actions/action-counts.ts';
import type { UserAction } from '#shared/actions/user-actions.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { LabelJob, LabelJobResult } from '#shared/printing/label-job.ts';
import type { HealthState } from '#shared/stores/dependencies.ts';
import {
  aliveServices,
  aliveWorkers,
  type LostProcess,
  lostProcesses,
  type ServiceHeartbeat,
  type WorkerHeartbeat,
} from '#shared/stores/heartbeat.ts';
import { RecentAnswers } from '#shared/stores/recent-answers.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { timeOf } from '#shared/stores/redis-clock.ts';
import { type RedisState, readRedisState } from '#shared/stores/redis-state.ts';
import type { Process } from '#shared/stores/shared-settings.ts';
import type { LateWebhook, WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { explainFailure, requestIdOf, visibleLabel } from './visible-job.ts';

/** Period of the latency and of the failures. */
const RECENT_MS = 300_000;
const DAY_MS = 86_400_000;
/** Longest wait for MongoDB. */
const MONGO_TIMEOUT_MS = 1_000;
/** Counts over all webhooks are this old at most. Only those that fail are asked for each time. */
const COUNTS_MS = 5_000;
/** Most labels whose latency is read. */
const MAX_LABELS = 500;
const MAX_FAILURES = 20;
/** A label that takes longer is slow, in ms, as in `k8s/monitoring/alerts.yml`. */
export const SLOW_MS = 1_000;

/** Times in ms since 1970 by the clock of Redis, durations in ms. */
export type SystemState = {
  at: number;
  waiting: number;
  active: number;
  failed: number;
  paused: boolean;
  /** Age of the oldest label that is not printed yet. */
  oldestMs: number | undefined;
  /** Undefined if no label was printed in the last five minutes. */
  latency: LatencyFigures | undefined;
  /** The newest first. */
  failures: { jobId: string; at: number; reason: string; guide: string; requestId: string }[];
  /** The last two hours, the oldest minute first. */
  minutes: MinuteCounts[];
  /** How users' actions ended in the last half hour. */
  actions: Record<UserAction, ActionSums>;
  /** `at` is the time of the heartbeat. */
  workers: (WorkerHeartbeat & { at: number })[];
  services: ServiceHeartbeat[];
  /** Processes that give no sign, and did not close. */
  lost: LostProcess[];
  /** The stores that the dashboard itself reaches. */
  reached: Record<string, HealthState>;
  /** The dashboard itself, with its settings. */
  self: Process;
  redis: RedisState;
  /** Undefined if MongoDB did not answer in time. */
  webhooks: WebhookFigures | undefined;
  /** Events of this dashboard that the audit log does not have yet. */
  auditWaiting: number;
};
/** `disabled`: since yesterday, and still. `worst`: of those that are behind. */
type WebhookCounts = {
  active: number;
  behind: number;
  worst: LateWebhook | undefined;
  disabled: number;
};
type WebhookFigures = WebhookCounts & { failing: Awaited<ReturnType<WebhookStore['findFailing']>> };
/** `p50` and `p99` in ms; `slow`: labels that took longer than a second; `last`: the end of the last label, in ms since 1970. */
type LatencyFigures = { labels: number; p50: number; p99: number; slow: number; last: number };

type Sources = {
  redis: RedisClient;
  prefix: string;
  queue: Queue<LabelJob>;
  webhooks: WebhookStore;
  auditLog: { waiting: number };
  self: Process;
};

/** `reached`: the stores that the dashboard itself reaches. */
export type ReadState = (reached: Promise<SystemState['reached']>) => Promise<SystemState>;

/** Returns a function that reads what the status page shows, in bounded reads for any length of the queue. */
export function systemStateReader(sources: Sources): ReadState {
  const readWebhooks = webhooksReader(sources.webhooks);
  return (reached) => readSystemState(sources, reached, readWebhooks);
}

async function readSystemState(
  sources: Sources,
  reaching: Promise<SystemState['reached']>,
  readWebhooks: () => Promise<WebhookFigures>,
): Promise<SystemState> {
  const { redis, prefix, queue } = sources;
  const at = await timeOf(redis);
  const since = at - RECENT_MS;
  const [
    counts,
    paused,
    unfinished,
    latency,
    failed,
    minutes,
    actions,
    workers,
    services,
    reached,
    redisState,
    webhooks,
  ] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'failed'),
    queue.isPaused(),
    queue.getJobs(['waiting', 'prioritized', 'active'], 0, 0, true),
    readLatency(redis, queue, since),
    queue.getJobs(['failed'], 0, MAX_FAILURES - 1),
    readLabelCounts(redis, prefix, at),
    readActionSums(redis, prefix, at),
    aliveWorkers(redis, prefix),
    aliveServices(redis, prefix),
    reaching,
    readRedisState(redis),
    readWebhooks().catch(() => undefined),
  ]);
  const lost = await lostProcesses(redis, prefix, at, [...workers, ...services]);
  const { waiting = 0, prioritized = 0, active = 0 } = counts;
  // BullMQ returns undefined for a job that was removed meanwhile.
  const asked = unfinished.filter(Boolean).map(({ timestamp }) => timestamp);
  return {
    ...{ at, waiting: waiting + prioritized, active, failed: counts.failed ?? 0, paused },
    oldestMs: asked.length === 0 ? undefined : at - Math.min(...asked),
    ...{ latency, minutes, actions, services, lost, reached, redis: redisState, webhooks },
    auditWaiting: sources.auditLog.waiting,
    self: sources.self,
    workers: workers.map((worker) => ({ ...worker, at: worker.at ?? at })),
    failures: failed.filter(Boolean).map((job: Job<LabelJob>) => ({
      jobId: job.id ?? '',
      at: job.finishedOn ?? job.timestamp,
      reason: explainFailure(job.failedReason),
      guide: visibleLabel(job.data)?.guia ?? '',
      requestId: requestIdOf(job.data),
    })),
  };
}

/** The function rejects if MongoDB does not answer in time. The page then shows labels alone. */
function webhooksReader(webhooks: WebhookStore): () => Promise<WebhookFigures> {
  const counts = new RecentAnswers<WebhookCounts>({
    ...{ what: 'Counting webhooks', max: 1, freshMs: COUNTS_MS, keptMs: COUNTS_MS, waitMs: MONGO_TIMEOUT_MS },
    ask: async () => {
      const [active, behind, worst, disabled] = await Promise.all([
        webhooks.countActive(),
        webhooks.countBehind(),
        webhooks.findBehind(),
        webhooks.countDisabled(DAY_MS),
      ]);
      return { active, behind, worst, disabled };
    },
  });
  return async () => {
    const reading = Promise.all([counts.get('all'), webhooks.findFailing()]);
    const [known, failing] = await withTimeout(MONGO_TIMEOUT_MS, 'Reading webhooks', reading);
    return { ...known, failing };
  };
}

/** Reads the last labels printed after `since` (ms since 1970), without their payloads or dropped ones. */
async function readLatency(
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
      const { dropped, at } = (JSON.parse(result ?? 'null') ?? {}) as Partial<LabelJobResult>;
      return time && !dropped ? [{ asked: Number(time), finished: at ?? Number(found[2 * i + 1]) }] : [];
    }),
  );
}

/** Computes percentiles by nearest rank. @param labels in ms since 1970; the label finished last comes first. */
export function latencyOf(
  labels: readonly { asked: number; finished: number }[],
): LatencyFigures | undefined {
  const [last] = labels;
  if (!last) return undefined;
  const sorted = labels.map(({ asked, finished }) => Math.max(0, finished - asked)).sort((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  const [p50, p99] = [percentile(0.5), percentile(0.99)];
  const slow = sorted.filter((ms) => ms > SLOW_MS).length;
  return { labels: sorted.length, p50, p99, slow, last: last.finished };
}
