import type { Queue } from 'bullmq';
import { repeat } from '#shared/async/repeat.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { RedisClock } from '#shared/stores/redis-clock.ts';

const MINUTE_MS = 60_000;
/**
 * How long a job is kept after it ended, in ms, for whoever looks into a failure. A job holds what its label shows, and an
 * address stays no longer than an hour in the queue (docs/security.md "Personal data"), the wait before included.
 */
const ENDED_MS = 50 * MINUTE_MS;
/** How long a job is kept that nobody takes, in ms: those who asked were answered after ten seconds (`LABEL_TIMEOUT_MS`). */
const ABANDONED_MS = 5 * MINUTE_MS;
/** Jobs that one call removes: Redis serves nobody else meanwhile. */
const MAX_REMOVED = 1_000;

/** States of jobs that no worker takes, also since the queue is paused, or each worker is gone. */
const UNFINISHED = ['wait', 'delayed', 'prioritized', 'active'] as const;
const ENDED = ['failed', 'completed'] as const;

type Cleanable = Pick<Queue, 'clean'>;
/** That of the jobs' times. */
type Clock = Pick<RedisClock, 'now'>;

/**
 * Removes old jobs by the clock, every minute, until the function that it returns is called. BullMQ alone removes old jobs
 * only when another job ends, so that addresses would stay for ever in a queue that rests. Every api process does so; to
 * remove twice does no harm.
 */
export function startQueueCleaning(
  queue: Cleanable,
  clock: Clock,
  log: Pick<Logger, 'info' | 'warn'>,
): () => Promise<void> {
  const failed = 'Old jobs of the label queue could not be removed';
  return repeat(() => cleanQueue(queue, clock), { pauseMs: MINUTE_MS, log: new FailureLog(log, { failed }) });
}

/** Removes the jobs that are too old, with the keys that say that their labels are being printed. */
export async function cleanQueue(queue: Cleanable, clock: Clock): Promise<void> {
  const aheadMs = Date.now() - clock.now(); // BullMQ counts an age back from the process's own clock
  for (const state of ENDED) await removeAll(queue, ENDED_MS + aheadMs, state);
  for (const state of UNFINISHED) await removeAll(queue, ABANDONED_MS + aheadMs, state);
}

type State = (typeof UNFINISHED | typeof ENDED)[number];

async function removeAll(queue: Cleanable, graceMs: number, state: State): Promise<void> {
  // Of prioritized jobs BullMQ looks at the first `limit` alone, and the oldest may be behind them; 0 is its own bound.
  const limit = state === 'prioritized' ? 0 : MAX_REMOVED;
  while ((await queue.clean(graceMs, limit, state)).length === MAX_REMOVED);
}
