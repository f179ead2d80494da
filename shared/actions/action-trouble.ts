import { Counter, type Registry } from 'prom-client';
import { ACTION_OUTCOMES, ACTIONS_METRIC, type ActionOutcome } from '#shared/actions/user-actions.ts';
import { FAILING } from '#shared/observability/thresholds.ts';
import type { ConnectionOwner } from '../stores/dependencies.ts';
import type { ActionReport } from '../stores/heartbeat.ts';
import type { RedisClient } from '../stores/redis-client.ts';
import { RedisClock } from '../stores/redis-clock.ts';
import { ActionCounts, type GuidePricing } from './action-counts.ts';

/** Of so many requests, "Estado" looks how many failed; of fewer if the last of all failed. */
const LAST = 20;
const FEW = FAILING.least;
/** After so many successes in a row the next failure is another fault. */
const FORGOTTEN = 200;
/** A failure is of the same fault so long after that seemed to have ended, in ms: it comes and goes. */
const BACK_MS = 60_000;
const WINDOW_MS = 60_000 * FAILING.windowMinutes;

/**
 * Failures of one fault. Times are those of `performance.now()`.
 * `last`: when the last one failed; `lastBegan`: when the last request that failed began.
 * `longestRows`: most successes in a row between two failures, and the most but for these. `isMixed`: the failures had different
 * causes. `isEnded`: see `end`.
 */
type Trouble = {
  since: number;
  last: number;
  lastBegan: number;
  notOk: number;
  all: number;
  codigo: string;
  longestRows: [number, number];
  isMixed: boolean;
  isEnded: boolean;
};

/** What one process knows of an action. */
class Action {
  readonly totals: Record<ActionOutcome, number> = { ok: 0, failed: 0, refused: 0 };
  lastOk: number | undefined;
  lastNotOk: number | undefined;
  #trouble: Trouble | undefined;
  /** Successes since the last failure. */
  #okSince = 0;
  /** The last outcomes, a bit each, the newest first; 1 if not well. */
  #last = 0;
  #lastCount = 0;

  count(outcome: ActionOutcome, codigo: string, began: number, now: number): void {
    this.totals[outcome]++;
    const isOk = outcome === 'ok';
    this.#last = ((this.#last << 1) | Number(!isOk)) & ((1 << LAST) - 1);
    if (this.#lastCount < LAST) this.#lastCount++;
    if (isOk) this.#succeeded(now);
    else this.#failed(codigo, began, now);
  }

  /** @see UserActions.end */
  end(codigo: string): void {
    const trouble = this.#trouble;
    if (trouble && !trouble.isMixed && trouble.codigo === codigo) trouble.isEnded = true;
  }

  report(now: number, at: number): ActionReport {
    const { lastOk, lastNotOk } = this;
    const trouble = this.#isOver(now) ? undefined : this.#trouble;
    const timeOf = (moment: number) => Math.round(at - (now - moment));
    return {
      ...(lastOk !== undefined && { lastOk: timeOf(lastOk) }),
      ...(lastNotOk !== undefined && { lastNotOk: timeOf(lastNotOk) }),
      ...(trouble && {
        failing: {
          since: timeOf(trouble.since),
          notOk: trouble.notOk,
          all: trouble.all + this.#okSince,
          ...this.#tail(),
          codigo: trouble.codigo,
          lastBegan: timeOf(trouble.lastBegan),
        },
      }),
    };
  }

  /**
   * Returns whether a fault seems to have ended: successes come in a row twice as long as any since it began, but for the longest.
   * That one was the pause of a fault that came back, and would keep the alarm on long after the cure. The next failure shows that
   * it has not ended.
   */
  #isOver(now: number): boolean {
    const trouble = this.#trouble;
    if (!trouble || trouble.isEnded) return true;
    return this.#okSince > 2 * trouble.longestRows[1] || now - trouble.last >= WINDOW_MS;
  }

  /** Returns whether a failure now is of another fault than the last one. */
  #isOther(trouble: Trouble, codigo: string, now: number): boolean {
    const isLater = now - trouble.last > BACK_MS;
    if (trouble.isEnded) return isLater || trouble.codigo !== codigo;
    return isLater && this.#okSince > LAST && this.#isOver(now);
  }

  #tail(): { lastNotOk: number; lastAll: number } {
    const few = (1 << FEW) - 1;
    if ((this.#last & few) === few) return { lastNotOk: FEW, lastAll: FEW };
    return { lastNotOk: bitsOf(this.#last), lastAll: this.#lastCount };
  }

  #succeeded(now: number): void {
    this.lastOk = now;
    if (!this.#trouble) return;
    this.#okSince++;
    if (this.#okSince >= FORGOTTEN) this.#trouble = undefined;
  }

  #failed(codigo: string, began: number, now: number): void {
    this.lastNotOk = now;
    const trouble = this.#trouble;
    const isOther = trouble !== undefined && this.#isOther(trouble, codigo, now);
    if (isOther) {
      this.#last = 1;
      this.#lastCount = 1;
    }
    if (!trouble || isOther || now - trouble.last > WINDOW_MS) {
      this.#trouble = {
        since: now,
        last: now,
        lastBegan: began,
        notOk: 1,
        all: 1,
        codigo,
        longestRows: [0, 0],
        isMixed: false,
        isEnded: false,
      };
    } else {
      trouble.notOk++;
      trouble.all += this.#okSince + 1;
      trouble.last = now;
      trouble.lastBegan = Math.max(trouble.lastBegan, began);
      trouble.isMixed ||= trouble.codigo !== codigo;
      trouble.isEnded = false;
      trouble.codigo = codigo;
      const [longest, second] = trouble.longestRows;
      trouble.longestRows =
        this.#okSince > longest ? [this.#okSince, longest] : [longest, Math.max(second, this.#okSince)];
    }
    this.#okSince = 0;
  }
}

/**
 * Counts how users' actions end, in the process that answers them: for Prometheus, by the minute in Redis, and for the
 * heartbeat. A count is some additions in memory, because creations and labels pass here.
 */
export class UserActions {
  readonly #counts: ActionCounts;
  readonly #actions: ReadonlyMap<string, Action>;

  /** @param actions those that this process answers. */
  constructor(actions: readonly string[], counts: ActionCounts, metrics: Registry) {
    this.#counts = counts;
    this.#actions = new Map(actions.map((action) => [action, new Action()]));
    const known = this.#actions;
    new Counter({
      name: ACTIONS_METRIC,
      help: 'What users did, by how it ended: ok; failed by our fault, or unanswered for 5 s; refused as too busy',
      labelNames: ['action', 'outcome'],
      registers: [metrics],
      collect() {
        this.reset();
        for (const [action, { totals }] of known)
          for (const outcome of ACTION_OUTCOMES) this.inc({ action, outcome }, totals[outcome]);
      },
    });
  }

  /** @param codigo of the error, or what is at fault. @param ms since the request began. */
  count(action: string, outcome: ActionOutcome, codigo = '', ms = 0): void {
    const now = performance.now();
    this.#actions.get(action)?.count(outcome, codigo, now - ms, now);
    this.#counts.count(action, outcome);
  }

  /**
   * Says that a cause has ended, seen without a user who tried. A fault that had no other cause is over until the next failure.
   * @param codigo of its failures.
   */
  end(action: string, codigo: string): void {
    this.#actions.get(action)?.end(codigo);
  }

  /** Counts a request for labels that was refused because of its account's own limit. */
  countLimitedLabel(): void {
    this.#counts.countLabel('limited');
  }

  /** Counts guides that were created. */
  countGuides(pricing: GuidePricing, guides: number): void {
    this.#counts.countGuides(pricing, guides);
  }

  /** Returns what became of the last requests, for the heartbeat. @param at the time of Redis now, in ms since 1970. */
  report(at: number): Record<string, ActionReport> {
    const now = performance.now();
    return Object.fromEntries([...this.#actions].map(([name, action]) => [name, action.report(now, at)]));
  }
}

/**
 * Opens the counts of a service, which closes them: the last ones are written then. While Redis is away, counts wait.
 * @param own what the service answers.
 */
export function openUserActions(
  server: ConnectionOwner,
  redis: RedisClient,
  prefix: string,
  own: readonly string[],
): { actions: UserActions; clock: RedisClock } {
  const clock = new RedisClock(redis);
  const counts = new ActionCounts(redis, prefix, clock, server.log);
  // Until then, and while Redis is away, its time is extrapolated.
  const begin = () => void clock.start().catch(() => {});
  if (redis.status === 'ready') begin();
  redis.on('ready', begin);
  server.addHook('onClose', async () => {
    clock.stop();
    await counts.write();
  });
  return { actions: new UserActions(own, counts, server.metrics), clock };
}

function bitsOf(value: number): number {
  let bits = 0;
  for (let rest = value; rest > 0; rest >>= 1) bits += rest & 1;
  return bits;
}
