import { ACTION_OUTCOMES, type ActionOutcome } from '#shared/actions/user-actions.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { FAILING } from '#shared/observability/thresholds.ts';
import type { RedisClient } from '../stores/redis-client.ts';
import type { RedisClock } from '../stores/redis-clock.ts';
import { isTransientError } from '../stores/transient-errors.ts';

/**
 * How users' actions ended, and how guides got their price, in each minute of the last two hours, for the dashboard: counters
 * `{prefix}:label-count:<what>:<minutes since 1970>`. Minutes are those of Redis, because a process whose clock is ahead would show
 * its refusals too late.
 * BullMQ's own counts by minute (`metrics` of its Worker) do not serve: they count a dropped label as completed, know
 * no refusals, and lack the current minute.
 */

/**
 * `printed`: labels that a worker printed. The others are requests that the api answered: `failed` and `refused` as
 * `ACTION_OUTCOMES` says, `limited` with 429 (a limit of the account, not a fault of the system).
 */
export const LABEL_OUTCOMES = ['printed', 'failed', 'refused', 'limited'] as const;
export type LabelOutcome = (typeof LABEL_OUTCOMES)[number];
/** `at`: the beginning of the minute, in ms since 1970. */
export type MinuteCounts = Record<LabelOutcome, number> & { at: number };

/**
 * How guides that were created got their price. `priced`: by a quote, or as quoted at that moment. The others answer 0: the
 * tariff prices `billed` ones for the bill, and has no price for `without_tariff` ones.
 */
export const GUIDE_PRICINGS = ['priced', 'billed', 'without_tariff'] as const;
export type GuidePricing = (typeof GUIDE_PRICINGS)[number];

/** How often an action was done, and how often it failed or was refused. */
export type ActionSums = { ok: number; notOk: number };

const COUNTED_MINUTES = 120;
const MINUTE_MS = 60_000;
/** So a flood of refusals costs Redis one write a second. */
const WRITE_MS = 1_000;

/** Names a count in its key. */
type Count = LabelOutcome | `${string}-${ActionOutcome}` | `guides-${GuidePricing}`;

export class ActionCounts {
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #clock: Pick<RedisClock, 'now'>;
  readonly #log: FailureLog;
  /** By minutes since 1970. */
  #waiting = new Map<number, Map<Count, number>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    redis: RedisClient,
    prefix: string,
    clock: Pick<RedisClock, 'now'>,
    log: Pick<Logger, 'info' | 'warn'>,
  ) {
    this.#redis = redis;
    this.#prefix = prefix;
    this.#clock = clock;
    this.#log = new FailureLog(log, {
      failed: ({ message }) => `Redis refuses the counts of what users did: ${message}`,
      recovered: 'Redis takes the counts of what users did again',
    });
  }

  count(action: string, outcome: ActionOutcome): void {
    this.#add(countOf(action, outcome), Math.floor(this.#clock.now() / MINUTE_MS), 1);
  }

  /** Counts what is no action of a user: a label that was printed, or refused because of the account's own limit. */
  countLabel(outcome: 'printed' | 'limited'): void {
    this.#add(outcome, Math.floor(this.#clock.now() / MINUTE_MS), 1);
  }

  /** Counts guides that were created. */
  countGuides(pricing: GuidePricing, guides: number): void {
    this.#add(`guides-${pricing}`, Math.floor(this.#clock.now() / MINUTE_MS), guides);
  }

  /** Writes what was counted. While Redis is away or refuses them, counts wait. A killed process loses the counts of a second. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    if (waiting.size === 0) return;
    this.#waiting = new Map();
    const writes = this.#redis.multi();
    for (const [minute, counts] of waiting) {
      for (const [count, amount] of counts) {
        const key = keyOf(this.#prefix, count, minute);
        writes.incrby(key, amount).expire(key, 60 * COUNTED_MINUTES);
      }
    }
    try {
      await writes.exec();
      this.#log.succeeded();
    } catch (error) {
      const cause = causeOf(error as Error);
      if (!isTransientError(cause)) this.#log.failed(cause);
      const oldest = Math.floor(this.#clock.now() / MINUTE_MS) - COUNTED_MINUTES;
      for (const [minute, counts] of waiting) {
        if (minute > oldest) for (const [count, amount] of counts) this.#add(count, minute, amount);
      }
    }
  }

  #add(count: Count, minute: number, amount: number): void {
    const counts = this.#waiting.get(minute) ?? new Map<Count, number>();
    this.#waiting.set(minute, counts);
    counts.set(count, (counts.get(count) ?? 0) + amount);
    this.#timer ??= setTimeout(() => void this.write(), WRITE_MS).unref();
  }
}

/**
 * Returns the counts of labels of the last two hours, the current minute last.
 * @param now in ms since 1970, by the clock of Redis.
 */
export function readLabelCounts(redis: RedisClient, prefix: string, now: number): Promise<MinuteCounts[]> {
  return readMinutes(redis, prefix, lastMinutes(now, COUNTED_MINUTES), LABEL_OUTCOMES);
}

/**
 * Returns how each action ended within the window of `FAILING`.
 * @param now in ms since 1970, by the clock of Redis.
 */
export async function readActionSums<Action extends string>(
  redis: RedisClient,
  prefix: string,
  now: number,
  actions: readonly Action[],
): Promise<Record<Action, ActionSums>> {
  const wanted = actions.flatMap((action) => ACTION_OUTCOMES.map((outcome) => countOf(action, outcome)));
  const counted = await readMinutes(redis, prefix, lastMinutes(now, FAILING.windowMinutes), wanted);
  const sumOf = (action: Action, outcome: ActionOutcome) =>
    counted.reduce((sum, minute) => sum + (minute[countOf(action, outcome)] ?? 0), 0);
  const sumsOf = (action: Action): ActionSums => ({
    ok: sumOf(action, 'ok'),
    notOk: sumOf(action, 'failed') + sumOf(action, 'refused'),
  });
  return Object.fromEntries(actions.map((action) => [action, sumsOf(action)])) as Record<Action, ActionSums>;
}

/**
 * Returns how guides that were created within the window of `FAILING` got their price.
 * @param now in ms since 1970, by the clock of Redis.
 */
export async function readGuidePricings(
  redis: RedisClient,
  prefix: string,
  now: number,
): Promise<Record<GuidePricing, number>> {
  const counts = GUIDE_PRICINGS.map((pricing) => `guides-${pricing}` as const);
  const minutes = await readMinutes(redis, prefix, lastMinutes(now, FAILING.windowMinutes), counts);
  const sums = GUIDE_PRICINGS.map((pricing) => [
    pricing,
    minutes.reduce((sum, minute) => sum + minute[`guides-${pricing}`], 0),
  ]);
  return Object.fromEntries(sums) as Record<GuidePricing, number>;
}

/** Reads these counts of each minute. `at`: the beginning of the minute, in ms since 1970. */
async function readMinutes<C extends Count>(
  redis: RedisClient,
  prefix: string,
  minutes: readonly number[],
  wanted: readonly C[],
): Promise<(Record<C, number> & { at: number })[]> {
  const keys = minutes.flatMap((minute) => wanted.map((count) => keyOf(prefix, count, minute)));
  const counts = (await redis.mget(keys)).map(Number);
  return minutes.map((minute, i) => {
    const own = counts.slice(i * wanted.length, (i + 1) * wanted.length);
    const amounts = Object.fromEntries(wanted.map((count, j) => [count, own[j] ?? 0])) as Record<C, number>;
    return { at: minute * MINUTE_MS, ...amounts };
  });
}

/** The oldest first, in minutes since 1970. */
function lastMinutes(now: number, length: number): number[] {
  const current = Math.floor(now / MINUTE_MS);
  return Array.from({ length }, (_, i) => current - (length - 1 - i));
}

/** Returns what a transaction was discarded for: its own error says only that it was. */
function causeOf(error: Error & { previousErrors?: Error[] }): Error {
  return error.previousErrors?.[0] ?? error;
}

/** Labels that failed and were refused are those of the picture. */
function countOf(action: string, outcome: ActionOutcome): Count {
  return action === 'print' && outcome !== 'ok' ? outcome : `${action}-${outcome}`;
}

function keyOf(prefix: string, count: Count, minute: number): string {
  return `${prefix}:label-count:${count}:${minute}`;
}
