import type { Connection } from 'mongoose';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { OPEN_STATES } from './pickup.ts';
import { PICKUPS, type Pickup } from './pickup-model.ts';

/** How long after its window somebody must have told what became of a pick-up, in ms. The alert's summary says it too. */
const TOLD_WITHIN_MS = 2 * 3_600_000;
/** How long after the cut-off somebody must have scheduled it, in ms: where it is scheduled by itself, that takes seconds. */
const SCHEDULED_WITHIN_MS = 60_000;
/** Most branches that are named, and most pick-ups that are read for that. */
const MAX_BRANCHES = 5;
const MAX_READ = 1_000;
/** Customers' pick-ups: numbers of test accounts begin with `R0`. */
const REAL = { _id: { $gte: 'R1' } };

/**
 * Customers' pick-ups that somebody must look after: that nobody has scheduled by the cut-off, and of which nobody has told what
 * became. `branches`: where most of them are.
 */
export type OverduePickups = { unscheduled: number; unfinished: number; branches: string[] };

/** Counts pick-ups over all accounts. Every moment is of the database's clock. */
export class PickupFigures {
  readonly #clock: DatabaseClock;
  readonly #pickups: StoredModel<Pickup>;

  constructor(connection: Connection) {
    this.#clock = new DatabaseClock(connection);
    this.#pickups = modelOf(connection, PICKUPS);
  }

  async countUnscheduled(): Promise<number> {
    return this.#pickups.countDocuments(unscheduledAt(await this.#clock.now()));
  }

  async countUnfinished(): Promise<number> {
    return this.#pickups.countDocuments(unfinishedAt(await this.#clock.now()));
  }

  async overdue(): Promise<OverduePickups> {
    const [unscheduled, unfinished] = await Promise.all([this.countUnscheduled(), this.countUnfinished()]);
    return { unscheduled, unfinished, branches: unscheduled + unfinished > 0 ? await this.#branches() : [] };
  }

  async #branches(): Promise<string[]> {
    const now = await this.#clock.now();
    const found = await this.#pickups
      .find({ $or: [unscheduledAt(now), unfinishedAt(now)] })
      .select<{ branch: { code: string } }>({ 'branch.code': 1 })
      .sort({ _id: 1 })
      .limit(MAX_READ)
      .lean();
    const byBranch = [...Map.groupBy(found, ({ branch }) => branch.code)];
    return byBranch
      .sort(([, one], [, other]) => other.length - one.length)
      .slice(0, MAX_BRANCHES)
      .map(([code]) => code);
  }
}

function unscheduledAt(now: Date) {
  return {
    ...REAL,
    status: 'Solicitada' as const,
    'window.closesAt': { $lte: before(now, SCHEDULED_WITHIN_MS) },
    'window.endsAt': { $gt: before(now, TOLD_WITHIN_MS) },
  };
}

function unfinishedAt(now: Date) {
  return {
    ...REAL,
    status: { $in: [...OPEN_STATES] },
    // No cut-off is after its window, and the index has it.
    'window.closesAt': { $lte: before(now, TOLD_WITHIN_MS) },
    'window.endsAt': { $lte: before(now, TOLD_WITHIN_MS) },
  };
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}
