import type { Branch } from '#shared/branches/branch.ts';
import type { SentGuide, ServiceType } from '#shared/guides/guide.ts';
import type { PricedParcel, QuotedPrice } from '#shared/guides/quoted-price.ts';

/** What a guide costs, in MXN, with what it shows of its price, and what was priced. */
export type GuidePrice = { freight: number; total: number; quote: QuotedPrice; priced: PricedParcel };

/** Guides that are to be created, each with its destination. */
export type PriceRequest = {
  account: string;
  service: ServiceType;
  guides: readonly SentGuide[];
  origin: Branch;
  destinations: readonly Branch[];
};

/** How guides get their prices. A room that knows prices takes the place of `NO_PRICES`. */
export type Pricing = {
  /**
   * Returns what each guide costs, or undefined for a guide without a price: it costs nothing.
   *
   * @throws DomainError with the problems of all guides.
   */
  priceOf(request: PriceRequest): Promise<(GuidePrice | undefined)[]>;
  /** Guides were created at prices. */
  used(count: number): void;
};

export const NO_PRICES: Pricing = {
  priceOf: async ({ guides }) => guides.map(() => undefined),
  used: () => {},
};
