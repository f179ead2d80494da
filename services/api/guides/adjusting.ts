import type { Adjustment } from '#shared/guides/adjustment.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { UnquotedPrice } from '#shared/guides/guide-price.ts';

/** How the price of a guide follows what its packages weigh. A room that knows prices takes the place of `NO_ADJUSTMENTS`. */

/** What a package weighs and measures, in kg and cm. */
export type Weighing = { Peso: number; Largo?: number; Alto?: number; Ancho?: number };
/** What an event stores of the price of its guide: of one with a quote what everybody sees, of another what it costs, for the bill. */
export type WeighedPrice =
  | { adjustment: Adjustment; unquoted?: never }
  | { adjustment?: never; unquoted: UnquotedPrice };
/** Prices one guide. @param weighings of each of its packages, undefined for one that weighs what it did at the creation. */
export type Adjuster = (weighings: readonly (Weighing | undefined)[]) => WeighedPrice;
/** Returns what prices the weighings of a guide; undefined if it was never priced, or its tariff cannot be found. */
export type AdjusterOf = (
  guide: Pick<GuideDocument, 'quote' | 'unquoted' | 'priced'>,
) => Promise<Adjuster | undefined>;

export const NO_ADJUSTMENTS: AdjusterOf = async () => undefined;
