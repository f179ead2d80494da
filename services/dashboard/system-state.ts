import type { Job, Queue } from 'bullmq';
import {
  type ActionSums,
  type GuidePricing,
  type MinuteCounts,
  readActionSums,
  readGuidePricings,
  readLabelCounts,
} from '#shared/actions/action-counts.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { OverduePickups, PickupFigures } from '#shared/pickups/overdue-pickups.ts';
import type { LabelJob } from '#shared/printing/label-job.ts';
import { USER_ACTIONS, type UserAction } from '#shared/rooms.ts';
import type { DatabaseClock } from '#shared/stores/database-clock.ts';
import type { HealthState } from '#shared/stores/dependencies.ts';
import {
  aliveServices,
  aliveWorkers,
  type LostProcess,
  lostProcesses,
  type ServiceHeartbeat,
  seenServices,
  type WorkerHeartbeat,
} from '#shared/stores/heartbeat.ts';
import type { ProcessRegistry, RegisteredProcess } from '#shared/stores/process-registry.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { timeOf } from '#shared/stores/redis-clock.ts';
import { type RedisState, readRedisState } from '#shared/stores/redis-state.ts';
import type { Process } from '#shared/stores/shared-settings.ts';
import { StaleIfErrorCache } from '#shared/stores/stale-if-error-cache.ts';
import type { LateWebhook, WebhookFigures } from '#shared/webhooks/webhook-figures.ts';
import type { CanaryReader, CanaryState } from './canary-reader.ts';
import { type LabelLatency, readLabelLatency } from './label-latency.ts';
import { explainFailure, requestIdOf, visibleLabel } from './visible-job.ts';

const DAY_MS = 86_400_000;
/** Longest wait for MongoDB. */
const MONGO_TIMEOUT_MS = 1_000;
/** Counts over all webhooks are this old at most. Only those that fail are asked for each time. */
const COUNTS_MS = 5_000;
/** What was read of webhooks holds so long while MongoDB is slow, in ms: that figures are late is no fault that users see. */
const KEPT_MS = 10_000;
const MAX_FAILURES = 20;

/** Times in ms since 1970 by the clock of Redis, durations in ms. */
export type SystemState = {
  at: number;
  canary: CanaryState;
  waiting: number;
  active: number;
  failed: number;
  paused: boolean;
  /** Age of the oldest label that is not printed yet. */
  oldestMs: number | undefined;
  /** Undefined if no label was printed lately. */
  latency: LabelLatency | undefined;
  /** The newest first. */
  failures: { jobId: string; at: number; reason: string; guide: string; requestId: string }[];
  /** The last two hours, the oldest minute first. */
  minutes: MinuteCounts[];
  /** How users' actions ended in the last half hour. */
  actions: Record<UserAction, ActionSums>;
  /** How the guides created in the last half hour got their price. */
  guides: Record<GuidePricing, number>;
  /** `at` is the time of the heartbeat. */
  workers: (WorkerHeartbeat & { at: number })[];
  services: ServiceHeartbeat[];
  /** Processes that give no sign, and did not close. */
  lost: LostProcess[];
  /** Processes of the cell that write their heartbeats elsewhere: their Redis or its prefix is another. */
  elsewhere: RegisteredProcess[];
  /** How far MongoDB's clock is ahead of that of Redis; undefined if MongoDB did not answer in time. */
  mongoAheadMs: number | undefined;
  /** The stores that the dashboard itself reaches. */
  reached: Record<string, HealthState>;
  /** The dashboard itself, with its settings. */
  self: Process & Pick<ServiceHeartbeat, 'clockAheadMs'>;
  redis: RedisState;
  /** Undefined if MongoDB did not answer in time. */
  webhooks: WebhooksSeen | undefined;
  /** Undefined if MongoDB did not answer in time. */
  pickups: OverduePickups | undefined;
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
type WebhooksSeen = WebhookCounts & { failing: Awaited<ReturnType<WebhookFigures['findFailing']>> };

type Sources = {
  redis: RedisClient;
  prefix: string;
  queue: Queue<LabelJob>;
  webhooks: WebhookFigures;
  pickups: PickupFigures;
  processes: ProcessRegistry;
  clock: DatabaseClock;
  canary: Pick<CanaryReader, 'ask'>;
  auditLog: { waiting: number };
  self: Process;
};

/** `reached`: the stores that the dashboard itself reaches. */
export type ReadState = (reached: Promise<SystemState['reached']>) => Promise<SystemState>;

/** Returns a function that reads what the status page shows, in bounded reads for any length of the queue. */
export function systemStateReader(sources: Sources): ReadState {
  const readWebhooks = webhooksReader(sources.webhooks);
  const readPickups = pickupsReader(sources.pickups);
  const readElsewhere = elsewhereReader(sources);
  return (reached) => readSystemState(sources, reached, { readWebhooks, readPickups, readElsewhere });
}

/** What is read of MongoDB. */
type Readers = {
  readWebhooks: () => Promise<WebhooksSeen>;
  readPickups: () => Promise<OverduePickups>;
  readElsewhere: () => Promise<RegisteredProcess[]>;
};

async function readSystemState(
  sources: Sources,
  reaching: Promise<SystemState['reached']>,
  { readWebhooks, readPickups, readElsewhere }: Readers,
): Promise<SystemState> {
  const { redis, prefix, queue } = sources;
  // First of all: without Redis nothing else is read, and the canary would seem silent afterwards.
  const asking = sources.canary.ask();
  const at = await timeOf(redis);
  const [clockAheadMs, askedAt] = [Date.now() - at, performance.now()];
  const readMongoAhead = async () => {
    const mongoTime = await withTimeout(MONGO_TIMEOUT_MS, "MongoDB's clock", sources.clock.now());
    return mongoTime.getTime() - (at + performance.now() - askedAt);
  };
  const [
    counts,
    paused,
    unfinished,
    latency,
    failed,
    minutes,
    actions,
    guides,
    workers,
    services,
    reached,
    redisState,
    webhooks,
    pickups,
    elsewhere,
    mongoAheadMs,
    canary,
  ] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'failed'),
    queue.isPaused(),
    queue.getJobs(['waiting', 'prioritized', 'active'], 0, 0, true),
    readLabelLatency(redis, queue, at),
    queue.getJobs(['failed'], 0, MAX_FAILURES - 1),
    readLabelCounts(redis, prefix, at),
    readActionSums(redis, prefix, at, USER_ACTIONS),
    readGuidePricings(redis, prefix, at),
    aliveWorkers(redis, prefix),
    aliveServices(redis, prefix),
    reaching,
    readRedisState(redis),
    readWebhooks().catch(() => undefined),
    readPickups().catch(() => undefined),
    readElsewhere().catch(() => []),
    readMongoAhead().catch(() => undefined),
    asking,
  ]);
  const lost = await lostProcesses(redis, prefix, at, [...workers, ...services]);
  const { waiting = 0, prioritized = 0, active = 0 } = counts;
  // BullMQ returns undefined for a job that was removed meanwhile.
  const asked = unfinished.filter(Boolean).map(({ timestamp }) => timestamp);
  return {
    ...{ at, canary, waiting: waiting + prioritized, active, failed: counts.failed ?? 0, paused },
    oldestMs: asked.length === 0 ? undefined : at - Math.min(...asked),
    ...{ latency, minutes, actions, guides, services, lost, reached, redis: redisState, webhooks, pickups },
    ...{ elsewhere, mongoAheadMs },
    auditWaiting: sources.auditLog.waiting,
    self: { ...sources.self, clockAheadMs },
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

/**
 * Returns a function that reads which processes write their heartbeats elsewhere: those that have registered again since they were
 * found without one. The entry of a process that closed stays if MongoDB was slow then. The function rejects if MongoDB does not
 * answer in time.
 */
export function elsewhereReader({
  processes,
  redis,
  prefix,
}: Pick<Sources, 'redis' | 'prefix'> & {
  processes: Pick<ProcessRegistry, 'alive'>;
}): () => Promise<RegisteredProcess[]> {
  /** When those without a heartbeat were registered last as they were first found so, by their id. */
  let found = new Map<string, number>();
  return async () => {
    // In this order: a process registers after its first heartbeat.
    const registered = await withTimeout(MONGO_TIMEOUT_MS, 'Reading the processes', processes.alive());
    const seen = await seenServices(redis, prefix);
    const silent = registered.filter(({ id }) => !seen.has(id));
    found = new Map(silent.map(({ id, at }) => [id, found.get(id) ?? at]));
    return silent.filter(({ id, at }) => at > (found.get(id) ?? at));
  };
}

/** The function rejects if MongoDB has not answered for ten seconds. The page then shows labels alone. */
function webhooksReader(webhooks: WebhookFigures): () => Promise<WebhooksSeen> {
  const counts = new StaleIfErrorCache<WebhookCounts>({
    ...{ what: 'Counting webhooks', max: 1, freshMs: COUNTS_MS, keptMs: COUNTS_MS, waitMs: MONGO_TIMEOUT_MS },
    read: async () => {
      const [active, behind, worst, disabled] = await Promise.all([
        webhooks.countActive(),
        webhooks.countBehind(),
        webhooks.findBehind(),
        webhooks.countDisabled(DAY_MS),
      ]);
      return { active, behind, worst, disabled };
    },
  });
  const figures = new StaleIfErrorCache<WebhooksSeen>({
    ...{ what: 'Reading webhooks', max: 1, freshMs: 0, keptMs: KEPT_MS, waitMs: MONGO_TIMEOUT_MS / 2 },
    read: async () => {
      const [known, failing] = await Promise.all([counts.get('all'), webhooks.findFailing()]);
      return { ...known, failing };
    },
  });
  return () => withTimeout(MONGO_TIMEOUT_MS, 'Reading webhooks', figures.get('all'));
}

/** The function rejects if MongoDB has not answered for ten seconds. */
function pickupsReader(pickups: PickupFigures): () => Promise<OverduePickups> {
  const figures = new StaleIfErrorCache<OverduePickups>({
    ...{
      what: 'Counting pick-ups',
      max: 1,
      freshMs: COUNTS_MS,
      keptMs: KEPT_MS,
      waitMs: MONGO_TIMEOUT_MS / 2,
    },
    read: () => pickups.overdue(),
  });
  return () => withTimeout(MONGO_TIMEOUT_MS, 'Counting pick-ups', figures.get('all'));
}
