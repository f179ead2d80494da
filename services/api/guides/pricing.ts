import type { Branch } from '#shared/branches/branch.ts';
import type { SentGuide, ServiceType } from '#shared/guides/guide.ts';
import type { GuidePrice, WithoutQuote } from '#shared/guides/guide-price.ts';

/**
 * What becomes of guides without a quote, which cost the customer nothing: `bill` finds what they cost by the tariff in force,
 * for the bill alone; `ignore` finds nothing.
 */
export type UnquotedGuides = 'bill' | 'ignore';

/** Guides that are to be created, each with its destination. */
export type PriceRequest = {
  account: string;
  service: ServiceType;
  guides: readonly SentGuide[];
  origin: Branch;
  destinations: readonly Branch[];
  unquotedGuides: UnquotedGuides;
};

/** What a guide keeps of its price; undefined for one that keeps nothing, and costs nothing. */
export type FoundPrice = GuidePrice | WithoutQuote | undefined;

/** How guides get their prices. A room that knows prices takes the place of `NO_PRICES`. */
export type Pricing = {
  /**
   * Returns what each guide costs.
   *
   * @throws DomainError with the problems of all guides.
   */
  priceOf(request: PriceRequest): Promise<FoundPrice[]>;
  /** Guides were created at these prices. */
  used(prices: readonly FoundPrice[]): void;
};

export const NO_PRICES: Pricing = {
  priceOf: async ({ guides }) => guides.map(() => undefined),
  used: () => {},
};
