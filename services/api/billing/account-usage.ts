import fastq, { type queueAsPromised } from 'fastq';
import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { CREATIONS } from '#shared/guides/creation-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { fieldError } from '../http/body.ts';
import { type Figures, NO_FIGURES, sumOf, type Usage } from './figures.ts';
import { readLabelUsage } from './label-usage.ts';
import { closesAt, daysOf, monthOf, type Period } from './months.ts';
import { readUsage } from './read-usage.ts';

/** Months that a process reads at the same time: each holds one of the 50 connections to MongoDB. */
const MAX_READING = 2;
/** Accounts that wait, and months of an account. */
const MAX_WAITING = 100;
const MAX_MONTHS_WAITING = 11;
/** Longest wait of a request, in ms. The reading goes on, and a repeated request joins it. */
const WAIT_MS = 20_000;
/** When a request that waited in vain may be repeated, in seconds. */
const RETRY_AFTER_S = 5;
/** Closed days that are kept, some hundred bytes each: a year of a hundred accounts. */
const MAX_KEPT_DAYS = 36_500;

export const MONTH_RULE = 'debe ser un mes que ya empezo, como 2026-11';

type Account = Pick<ApiUser, 'account' | 'test'>;
/** `isProvisional`: something may still be added to the month. `days`: those that have begun. */
type AccountMonth = {
  month: string;
  isProvisional: boolean;
  sum: Figures;
  days: { date: string; figures: Figures }[];
};
type Line = queueAsPromised<() => Promise<AccountMonth>, AccountMonth>;
type Deps = { mongo: Connection; localTime: (moment: Date) => string };

/** Reads what an account used, day by day. Nothing is added to a closed day, so it is read once. */
export class AccountUsage {
  readonly #deps: Deps;
  readonly #clock: DatabaseClock;
  readonly #closedDays = new LRUCache<string, Figures>({ max: MAX_KEPT_DAYS });
  readonly #readings = new SingleFlight<AccountMonth>();
  readonly #line: Line = fastq.promise((read) => read(), MAX_READING);
  /** One of each account, so that the months of one take no other's turn. */
  readonly #lines = new Map<string, Line>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#clock = new DatabaseClock(deps.mongo);
  }

  /**
   * Returns a month of an account. Requests for the same month share a reading.
   *
   * @param name as `2026-11`; the current month if absent.
   * @throws DomainError `parameter-invalid` for a month that has not begun; `overloaded` if too many read, or the month has not
   * been read in time.
   */
  async of({ account, test = false }: Account, name: string | undefined): Promise<AccountMonth> {
    const { localTime } = this.#deps;
    const now = await this.#clock.now();
    const month = monthOf(name ?? localTime(now).slice(0, 7), localTime);
    if (now < month.from) throw fieldError('mes', 'parameter-invalid', { rule: MONTH_RULE });
    const read = () => this.#inTurn(account, () => this.#read({ account, test }, month, now));
    const reading = this.#readings.run(read, `${month.name} ${account}`);
    return withTimeout(WAIT_MS, 'Reading the usage of an account', reading).catch((error: Error) => {
      throw error.name === 'TimeoutError' ? tooManyReadings(error) : error;
    });
  }

  async #inTurn(account: string, read: () => Promise<AccountMonth>): Promise<AccountMonth> {
    const own = this.#lines.get(account) ?? fastq.promise((each) => this.#line.push(each), 1);
    if (this.#line.length() >= MAX_WAITING || own.length() >= MAX_MONTHS_WAITING) throw tooManyReadings();
    this.#lines.set(account, own);
    try {
      return await own.push(read);
    } finally {
      if (own.idle()) this.#lines.delete(account);
    }
  }

  async #read({ account, test }: Required<Account>, month: Period, now: Date): Promise<AccountMonth> {
    const { mongo, localTime } = this.#deps;
    const begun = daysOf(month, localTime).filter(({ from }) => from <= now);
    const keyOf = ({ name }: Period) => `${name} ${account}`;
    const known = new Map(begun.map((day) => [day, this.#closedDays.get(keyOf(day))]));
    const firstMissing = begun.find((day) => !known.get(day));
    const oldestOpen = firstMissing && (await this.#oldestOpenCreation());
    const isClosed = (day: Period) => now >= closesAt(day) && !(oldestOpen && oldestOpen < closesAt(day));
    const usage: Usage = firstMissing
      ? await readUsage(
          mongo,
          { ...firstMissing, next: month.next, to: month.to },
          { account, test, byDay: localTime },
        )
      : new Map();
    const days = begun.map((day) => {
      const figures = known.get(day) ?? usage.get(day.name) ?? NO_FIGURES;
      if (isClosed(day)) this.#closedDays.set(keyOf(day), figures);
      return { date: day.name, figures };
    });
    // Releases before 1.11.0 counted no labels of days.
    const { labels = 0 } = (await readLabelUsage(mongo, month.name, { account, test })).get(account) ?? {};
    const sum = { ...sumOf(new Map(days.map(({ date, figures }) => [date, figures]))), labels };
    return { month: month.name, isProvisional: !isClosed(month), sum, days };
  }

  /** Returns since when a committed creation has guides that the journal alone has; undefined if none has. */
  async #oldestOpenCreation(): Promise<Date | undefined> {
    const oldest = await modelOf(this.#deps.mongo, CREATIONS)
      .findOne({ openSince: { $exists: true } })
      .select<{ openSince: Date }>({ openSince: 1 })
      .sort({ openSince: 1 })
      .lean();
    return oldest?.openSince;
  }
}

function tooManyReadings(cause?: Error): DomainError {
  return new DomainError('overloaded', { cause, params: { seconds: RETRY_AFTER_S } });
}
