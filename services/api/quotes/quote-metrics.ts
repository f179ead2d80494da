import { Counter, type Registry } from 'prom-client';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import type { GuidePricing } from '#shared/actions/action-counts.ts';
import type { UserActions } from '#shared/actions/action-trouble.ts';
import type { SentGuide } from '#shared/guides/guide.ts';
import { addGauge } from '#shared/observability/metrics.ts';
import type { FoundPrice, PricedFor } from '../guides/pricing.ts';
import type { CurrentTariff } from './tariffs/current-tariff.ts';

/** What came of a guide that was to be quoted, or of one that was to be created with its quote, or without one. */
const RESULTS = [
  ...(['offered', 'no_tariff', 'too_large'] as const),
  ...(['used', 'invalid', 'expired', 'different', 'withdrawn'] as const),
  ...(['at_creation', 'missing', 'billed', 'without_tariff'] as const),
] as const;
export type QuoteResult = (typeof RESULTS)[number];
/** Counts guides of a user by what came of them, but the canary's. */
export type CountQuotes = (user: Pick<ApiUser, 'canaryOf'>, result: QuoteResult, guides?: number) => void;

/** Registers the figures of quotes and of the tariff that is in force. */
export function quoteMetrics(metrics: Registry, tariffs: CurrentTariff): CountQuotes {
  const quotes = new Counter({
    name: 'quotes_total',
    help: 'Guides that were quoted (offered, or without a price: no_tariff, too_large), guides with a quote that were to be created: used, or refused (invalid, expired, different, withdrawn), and guides without one: priced as if quoted (at_creation), refused (missing), or created at 0: priced by the tariff in force for the bill (billed), or not (without_tariff)',
    labelNames: ['result'],
    registers: [metrics],
  });
  // A counter must exist before its first event, or rate() does not show that event.
  for (const result of RESULTS) quotes.inc({ result }, 0);
  // Absent before the tariff is known: reading it throws then.
  const add = (name: string, help: string, read: (now: number) => number | undefined) =>
    addGauge(metrics, name, help, async () => read(tariffs.now()));
  add(
    'tariff_version',
    'Version of the tariff in force; 0 if there is none',
    (now) => tariffs.at(now)?.version ?? 0,
  );
  add('tariff_next_seconds', 'Time until the next version of the tariff is in force', (now) => {
    const begins = tariffs.nextBegins(now);
    return begins && (begins - now) / 1_000;
  });
  add(
    'tariff_age_seconds',
    'Time since the log of tariffs was read',
    () => tariffs.ageMs && tariffs.ageMs / 1_000,
  );
  return ({ canaryOf }, result, guides = 1) => {
    if (canaryOf === undefined) quotes.inc({ result }, guides);
  };
}

/** How a guide that was created got its price, by the result that is counted. */
const PRICINGS = {
  ...{ used: 'priced', at_creation: 'priced' },
  ...{ billed: 'billed', without_tariff: 'without_tariff' },
} as const satisfies Partial<Record<QuoteResult, GuidePricing>>;

/** Counts guides that were created, by how each got its price, but the canary's. */
export function countCreated(
  { countQuotes, userActions }: { countQuotes: CountQuotes; userActions: Pick<UserActions, 'countGuides'> },
  user: PricedFor,
  prices: readonly FoundPrice[],
  guides: readonly SentGuide[],
): void {
  if (user.canaryOf !== undefined) return;
  const results = prices.map((price, i): keyof typeof PRICINGS => {
    if (!price || 'unquoted' in price)
      return price && 'total' in price.unquoted ? 'billed' : 'without_tariff';
    return guides[i]?.Cotizacion === undefined ? 'at_creation' : 'used';
  });
  for (const [result, { length }] of Map.groupBy(results, (each) => each)) {
    countQuotes(user, result, length);
    userActions.countGuides(PRICINGS[result], length);
  }
}
