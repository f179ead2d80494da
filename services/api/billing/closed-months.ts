import type { Connection } from 'mongoose';
import { type ClosedRow, USAGE } from '#shared/billing/usage-model.ts';
import { chunks } from '#shared/stores/chunks.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { insertMissing } from '#shared/stores/insert-each.ts';
import { FIGURE_NAMES, type FigureName, type Figures, NO_FIGURES, sumOf, type Usage } from './figures.ts';
import { monthRange } from './months.ts';

/** A month to store. */
type NewMonth = Pick<ClosedRow, 'timeZone' | 'at'> & { usage: Usage };
/** A month as it was stored. All its accounts have the same `figures`; what is missing differs from 0. */
export type ClosedMonth = Omit<NewMonth, 'usage'> & {
  figures: readonly FigureName[];
  usage: ReadonlyMap<string, Partial<Figures>>;
};

const ROWS_AT_A_TIME = 1_000;

/** Closed months in MongoDB. What is stored never changes. */
export class ClosedMonths {
  readonly #rows: StoredModel<ClosedRow>;

  constructor(connection: Connection) {
    this.#rows = modelOf(connection, USAGE);
  }

  /** Returns a month if all of it is stored. */
  async find(month: string): Promise<ClosedMonth | undefined> {
    const rows = await this.#rows
      .find({ _id: monthRange(month) })
      .sort({ _id: 1 })
      .lean();
    const accountOf = ({ _id }: ClosedRow) => _id.slice(month.length + 1);
    const sum = rows.find((row) => accountOf(row) === '');
    if (!sum) return undefined;
    // Of a month that an earlier release began to store, and this one went on with, some rows have what the others lack.
    const figures = FIGURE_NAMES.filter((name) => rows.every((row) => row[name] !== undefined));
    const figuresIn = (row: ClosedRow) => Object.fromEntries(figures.map((name) => [name, row[name]]));
    const usage = new Map(rows.filter((row) => row !== sum).map((row) => [accountOf(row), figuresIn(row)]));
    return { timeZone: sum.timeZone, at: sum.at, figures, usage };
  }

  /** Stores a month. Rows of an interrupted command, or of one that runs at the same time, stay. */
  async store(month: string, { usage, ...rest }: NewMonth): Promise<void> {
    const rows = [...usage].map(([account, figures]) => ({
      _id: `${month} ${account}`,
      ...figures,
      ...rest,
    }));
    for (const chunk of chunks(rows, ROWS_AT_A_TIME)) await insertMissing(this.#rows, chunk);
    await insertMissing(this.#rows, [{ _id: `${month} `, ...sumOf(usage), ...rest }]);
  }
}

/** Returns the usage of a stored month; the figures that it lacks are those of now, which are facts of that month too. */
export function completed({ usage }: ClosedMonth, now: Usage): Usage {
  const complete = ([account, stored]: [string, Partial<Figures>]) =>
    [account, { ...NO_FIGURES, ...now.get(account), ...stored }] as const;
  return new Map([...usage].map(complete));
}

/** A figure of an account that is another now than when its month was stored. */
export type Difference = { account: string; figure: FigureName; before: number; now: number };

/** Compares the figures that a stored month has. */
export function differences(
  { figures, usage }: Pick<ClosedMonth, 'figures' | 'usage'>,
  now: Usage,
): Difference[] {
  const accounts = [...new Set([...usage.keys(), ...now.keys()])].sort();
  return accounts.flatMap((account) => {
    const [earlier, later] = [usage.get(account), now.get(account) ?? NO_FIGURES];
    const compared = figures.map((figure) => ({
      ...{ account, figure },
      ...{ before: earlier?.[figure] ?? 0, now: later[figure] },
    }));
    return compared.filter(({ before, now }) => before !== now);
  });
}
