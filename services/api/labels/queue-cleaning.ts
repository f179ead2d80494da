import type { Queue } from 'bullmq';
import { repeat } from '#shared/async/repeat.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { RedisClock } from '#shared/stores/redis-clock.ts';

const MINUTE_MS = 60_000;
/**
 * In ms after a job ended, for operators who look into a failure. A job holds what its label shows, and an address
 * stays in the queue for an hour at most (docs/security.md "Personal data"), waiting included.
 */
const ENDED_MS = 50 * MINUTE_MS;
/** In ms, of a job that no worker takes: its clients were answered after ten seconds (`LABEL_TIMEOUT_MS`). */
const ABANDONED_MS = 5 * MINUTE_MS;
/** Jobs that one call removes. Redis serves no other client meanwhile. */
const MAX_REMOVED = 1_000;

/** Jobs stay in these states while the queue is paused, or no worker is alive. */
const UNFINISHED = ['wait', 'delayed', 'prioritized', 'active'] as const;
const ENDED = ['failed', 'completed'] as const;

type Cleanable = Pick<Queue, 'clean'>;
/** Of the jobs' times. */
type Clock = Pick<RedisClock, 'now'>;

/**
 * Removes old jobs every minute, in every api process. BullMQ alone removes them only when another job ends, so that
 * addresses would stay for ever in an idle queue.
 * @returns stops it.
 */
export function startQueueCleaning(
  queue: Cleanable,
  clock: Clock,
  log: Pick<Logger, 'info' | 'warn'>,
): () => Promise<void> {
  const failed = 'Old jobs of the label queue could not be removed';
  return repeat(() => cleanQueue(queue, clock), { pauseMs: MINUTE_MS, log: new FailureLog(log, { failed }) });
}

/** Also removes the keys of deduplication. */
export async function cleanQueue(queue: Cleanable, clock: Clock): Promise<void> {
  const aheadMs = Date.now() - clock.now(); // BullMQ counts an age back from the process's own clock
  for (const state of ENDED) await removeAll(queue, ENDED_MS + aheadMs, state);
  for (const state of UNFINISHED) await removeAll(queue, ABANDONED_MS + aheadMs, state);
}

type State = (typeof UNFINISHED | typeof ENDED)[number];

async function removeAll(queue: Cleanable, graceMs: number, state: State): Promise<void> {
  // Of prioritized jobs BullMQ looks only at the first `limit`, and the oldest may be behind them; 0 is no limit.
  const limit = state === 'prioritized' ? 0 : MAX_REMOVED;
  while ((await queue.clean(graceMs, limit, state)).length === MAX_REMOVED);
}
