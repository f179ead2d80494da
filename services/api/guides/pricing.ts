import type { UNQUOTED_GUIDES } from '#shared/accounts/account-model.ts';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import type { Branch } from '#shared/branches/branch.ts';
import type { Problem } from '#shared/errors/domain-error.ts';
import type { SentGuide, ServiceType } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { GuidePrice, WithoutQuote } from '#shared/guides/guide-price.ts';
import type { GuideDestination } from './resolve-branches.ts';

/**
 * What becomes of guides without a quote, by the setting of their account: `price` prices them as if they had been quoted at
 * this moment; `refuse` refuses them. Without a setting they answer 0: `bill` finds what they cost by the tariff in force, for
 * the bill alone; `ignore` finds nothing.
 */
export type UnquotedGuides = (typeof UNQUOTED_GUIDES)[number] | 'bill' | 'ignore';

/** Whose guides are priced; the canary's are counted nowhere. */
export type PricedFor = Pick<ApiUser, 'account' | 'canaryOf'>;

/** Guides that are to be created, each with its destination. */
export type PriceRequest = {
  user: PricedFor;
  service: ServiceType;
  guides: readonly SentGuide[];
  origin: Branch;
  destinations: readonly GuideDestination[];
  unquotedGuides: UnquotedGuides;
};

/** What a guide keeps of its price; undefined for one that keeps nothing, and answers 0. */
export type FoundPrice = GuidePrice | WithoutQuote | undefined;

/** What tells why a guide has no price: what was found for it, or the guide itself. */
export type PricedGuide = FoundPrice | GuideDocument;

/** How guides get their prices. A room that knows prices takes the place of `NO_PRICES`. */
export type Pricing = {
  /**
   * Returns what each guide costs.
   *
   * @throws DomainError with the problems of all guides.
   */
  priceOf(request: PriceRequest): Promise<FoundPrice[]>;
  /** Returns warnings of prices that a creation tells are missing, by guide. One whose fields are wrong is undefined. */
  warningsOf(prices: readonly PricedGuide[], guides: readonly (SentGuide | undefined)[]): Problem[];
  /** Guides were created at these prices. */
  created(user: PricedFor, prices: readonly FoundPrice[], guides: readonly SentGuide[]): void;
};

export const NO_PRICES: Pricing = {
  priceOf: async ({ guides }) => guides.map(() => undefined),
  warningsOf: () => [],
  created: () => {},
};
