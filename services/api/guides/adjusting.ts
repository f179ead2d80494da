import type { Adjustment } from '#shared/guides/adjustment.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';

/** How the price of a guide follows what its packages weigh. A room that knows prices takes the place of `NO_ADJUSTMENTS`. */

/** What a package weighs and measures, in kg and cm. */
export type Weighing = { Peso: number; Largo?: number; Alto?: number; Ancho?: number };
/** Returns the adjustment of one guide. @param weighings of each of its packages, undefined for one as quoted. */
export type Adjuster = (weighings: readonly (Weighing | undefined)[]) => Adjustment;
/** Returns what prices the weighings of a guide; undefined if it has no quote, or its tariff cannot be found. */
export type AdjusterOf = (guide: Pick<GuideDocument, 'quote' | 'priced'>) => Promise<Adjuster | undefined>;

export const NO_ADJUSTMENTS: AdjusterOf = async () => undefined;
