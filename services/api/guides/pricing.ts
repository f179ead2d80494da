import type { Branch } from '#shared/branches/branch.ts';
import type { SentGuide, ServiceType } from '#shared/guides/guide.ts';
import type { GuidePrice } from '#shared/guides/guide-price.ts';

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
