import type { Connection } from 'mongoose';
import type { Adjustment } from '#shared/guides/adjustment.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { UnquotedPrice } from '#shared/guides/guide-price.ts';
import type { Port } from '../platform/port.ts';

/** How the price of a guide follows what its packages weigh. A room that knows prices takes the place of `NO_ADJUSTMENTS`. */

/** What a package weighs and measures, in kg and cm. */
export type Weighing = { Peso: number; Largo?: number; Alto?: number; Ancho?: number };
/** What an event stores of the price of its guide: of one with a quote what everybody sees, of another what it costs, for the bill. */
export type WeighedPrice =
  | { adjustment: Adjustment; unquoted?: never }
  | { adjustment?: never; unquoted: UnquotedPrice };
/** Prices one guide. @param weighings of each of its packages, undefined for one that weighs what it did at the creation. */
export type Adjuster = (weighings: readonly (Weighing | undefined)[]) => WeighedPrice;
type Priced = Pick<GuideDocument, '_id' | 'quote' | 'unquoted' | 'priced'>;
/**
 * Returns what prices the weighings of guides, by their numbers; without those that were never priced, or whose tariff cannot
 * be found.
 */
export type AdjustersOf = (guides: readonly Priced[]) => Promise<ReadonlyMap<string, Adjuster>>;

export const NO_ADJUSTMENTS: AdjustersOf = async () => new Map();

/** Makes what prices weighings by what the database has. */
export type MakeAdjusters = (mongo: Connection) => AdjustersOf;
/** What commands have for it. */
export type AdjustingTools = { adjusters: Port<MakeAdjusters> };
