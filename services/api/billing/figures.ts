/** What an account used in a month. Sums of money are in centavos. `npm run admin -- usage --help` says what each figure is. */
export type Figures = {
  guides: number;
  cancelled: number;
  delivered: number;
  labels: number;
  total: number;
  cancelledTotal: number;
  adjustments: number;
  /** Guides with a quote whose weighing has no price in their tariff. */
  unpriced: number;
  /** Guides without a quote that answer 0. */
  unquoted: number;
  /** What they cost by the tariff (`unquoted.ts`). */
  unquotedTotal: number;
  /** Those of them without a price. */
  withoutTariff: number;
};

export const NO_FIGURES: Readonly<Figures> = {
  guides: 0,
  cancelled: 0,
  delivered: 0,
  labels: 0,
  total: 0,
  cancelledTotal: 0,
  adjustments: 0,
  unpriced: 0,
  unquoted: 0,
  unquotedTotal: 0,
  withoutTariff: 0,
};

export type FigureName = keyof Figures;
export const FIGURE_NAMES = Object.keys(NO_FIGURES) as FigureName[];

/** By account. */
export type Usage = Map<string, Figures>;

export function addTo(usage: Usage, account: string, more: Partial<Figures>): void {
  const figures = usage.get(account) ?? { ...NO_FIGURES };
  for (const name of FIGURE_NAMES) figures[name] += more[name] ?? 0;
  usage.set(account, figures);
}

/** Returns the figures of all accounts together. */
export function sumOf(usage: Usage): Figures {
  const sum: Usage = new Map([['', { ...NO_FIGURES }]]);
  for (const figures of usage.values()) addTo(sum, '', figures);
  return sum.get('') as Figures;
}
