import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { NoPriceReason } from '#shared/guides/guide-price.ts';
import { toCentavos } from '../platform/amounts.ts';
import type { Figures } from './figures.ts';

/** What guides without a quote cost: their answers say 0, so that no other figure has it. */

/** What is read of a stored guide; of its quote no more than that there is one. */
export const UNQUOTED_FIELDS = { unquoted: 1, 'quote.Tarifa.Version': 1 } as const;
/** The same, with when the guide is billed. */
export const BILLED_FIELDS = { ...UNQUOTED_FIELDS, billed: 1 } as const;
export type BilledFields = UnquotedFields & Pick<GuideDocument, 'billed'>;
export type UnquotedFields = Pick<GuideDocument, 'unquoted'> & { quote?: object };

/** What a guide costs, in centavos, or why it has no price. `not-priced`: a release before 1.9.0 created the guide. */
export type BilledPrice = { total: number } | { noPrice: NoPriceReason | 'not-priced' };
/** A price before a fact and after it; undefined before the guide was created, and after it was cancelled. */
export type PriceChange = { before?: BilledPrice | undefined; after?: BilledPrice | undefined };

/** Returns what a guide cost when it was created; undefined with a quote. */
export function billedAtCreation({ quote, unquoted }: UnquotedFields): BilledPrice | undefined {
  return quote ? undefined : (unquoted ?? { noPrice: 'not-priced' });
}

/** Returns what a guide adds to the figures of the month in which it is billed. @param total in MXN. */
export function figuresOfGuide(total: number, price: BilledPrice | undefined): Partial<Figures> {
  return {
    ...{ guides: 1, total: toCentavos(total) },
    ...(price && { unquoted: 1, ...figuresOfChange({ after: price }) }),
  };
}

/** Returns what a change adds to the figures of its month. */
export function figuresOfChange({
  before,
  after,
}: PriceChange): Pick<Figures, 'unquotedTotal' | 'withoutTariff'> {
  return {
    unquotedTotal: totalOf(after) - totalOf(before),
    withoutTariff: lacksPrice(after) - lacksPrice(before),
  };
}

function totalOf(price: BilledPrice | undefined): number {
  return price && 'total' in price ? price.total : 0;
}

function lacksPrice(price: BilledPrice | undefined): number {
  return Number(price !== undefined && 'noPrice' in price);
}
