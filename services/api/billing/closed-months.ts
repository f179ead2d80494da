import type { Connection } from 'mongoose';
import { chunks } from '#shared/stores/chunks.ts';
import {
  type DocumentIn,
  defineCollection,
  MOMENT,
  modelOf,
  NUMBER,
  type StoredModel,
  TEXT,
} from '#shared/stores/collection.ts';
import { insertMissing } from '#shared/stores/insert-each.ts';
import { FIGURE_NAMES, type Figures, NO_FIGURES, sumOf, type Usage } from './figures.ts';
import { monthRange } from './months.ts';

export const USAGE = defineCollection(
  'usage',
  {
    /** The month, a blank, and the account. Without an account it is the sum of the month, which is stored last. */
    _id: TEXT,
    guides: NUMBER,
    cancelled: NUMBER,
    delivered: NUMBER,
    labels: NUMBER,
    /** Sums of money are in centavos. */
    total: NUMBER,
    cancelledTotal: NUMBER,
    adjustments: NUMBER,
    unpriced: NUMBER,
    /** In which the month was taken. */
    timeZone: TEXT,
    /** By the database's clock. */
    at: MOMENT,
  },
  {
    id: 'Month and account',
    holds: "A closed month's usage, as the command `usage` first computed it",
    life: 'For ever',
    rights: { admin: ['find', 'insert'] },
  },
);
type Row = DocumentIn<typeof USAGE>;

/** A month as it was stored. */
export type ClosedMonth = Pick<Row, 'timeZone' | 'at'> & { usage: Usage };

const ROWS_AT_A_TIME = 1_000;

/** Closed months in MongoDB. What is stored never changes. */
export class ClosedMonths {
  readonly #rows: StoredModel<Row>;

  constructor(connection: Connection) {
    this.#rows = modelOf(connection, USAGE);
  }

  /** Returns a month if all of it is stored. */
  async find(month: string): Promise<ClosedMonth | undefined> {
    const rows = await this.#rows
      .find({ _id: monthRange(month) })
      .sort({ _id: 1 })
      .lean();
    const accountOf = ({ _id }: Row) => _id.slice(month.length + 1);
    const sum = rows.find((row) => accountOf(row) === '');
    if (!sum) return undefined;
    const usage = new Map(rows.filter((row) => row !== sum).map((row) => [accountOf(row), figuresIn(row)]));
    return { timeZone: sum.timeZone, at: sum.at, usage };
  }

  /** Stores a month. Rows of an interrupted command, or of one that runs at the same time, stay. */
  async store(month: string, { usage, ...rest }: ClosedMonth): Promise<void> {
    const rows = [...usage].map(([account, figures]) => ({
      _id: `${month} ${account}`,
      ...figures,
      ...rest,
    }));
    for (const chunk of chunks(rows, ROWS_AT_A_TIME)) await insertMissing(this.#rows, chunk);
    await insertMissing(this.#rows, [{ _id: `${month} `, ...sumOf(usage), ...rest }]);
  }
}

function figuresIn(row: Row): Figures {
  return Object.fromEntries(FIGURE_NAMES.map((name) => [name, row[name]])) as Figures;
}

/** A figure of an account that is another now than when its month was stored. */
export type Difference = { account: string; figure: keyof Figures; before: number; now: number };

export function differences(before: Usage, now: Usage): Difference[] {
  const accounts = [...new Set([...before.keys(), ...now.keys()])].sort();
  return accounts.flatMap((account) => {
    const [earlier, later] = [before.get(account) ?? NO_FIGURES, now.get(account) ?? NO_FIGURES];
    const changed = FIGURE_NAMES.filter((figure) => earlier[figure] !== later[figure]);
    return changed.map((figure) => ({ account, figure, before: earlier[figure], now: later[figure] }));
  });
}
