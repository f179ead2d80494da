import type { HttpServer } from '#shared/http/http-server.ts';
import { TARIFF_STALE } from '#shared/observability/thresholds.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Branches } from '../branches/open.ts';
import type { Guides } from '../guides/open.ts';
import type { Base } from '../http/room.ts';
import { repeatOnceConnected } from '../platform/repeat.ts';
import { adjusters } from './adjustment.ts';
import { warnOfMissingPrices } from './missing-prices.ts';
import { priceGuides } from './price-guides.ts';
import { countCreated, quoteMetrics } from './quote-metrics.ts';
import { QuoteTokens } from './quote-token.ts';
import { CurrentTariff } from './tariffs/current-tariff.ts';
import { TariffStore } from './tariffs/tariff-store.ts';

/** Pause between looks for new versions, in ms: a withdrawal is known within ten seconds (docs/contract.md "Quotes"). */
const LOOK_MS = 3_000;

/** What the room provides. */
export type Quotes = ReturnType<typeof openQuotes>;
export type QuotesContext = Base & Accounts & Branches & Guides & Quotes;

/** Keeps the tariff that is in force, and signs quotes. Everything but quotes works without a tariff. */
export function openQuotes(server: HttpServer, context: Base & Accounts & Guides) {
  const { config, mongo, metrics, localTime, userActions, log } = context;
  const tariffs = new CurrentTariff(new TariffStore(mongo), new DatabaseClock(mongo));
  const options = {
    name: 'the tariff in force',
    pauseMs: LOOK_MS,
    failed: 'The tariff that was read last stays in force',
  };
  server.startup.onceConnected(options.name, () => tariffs.look());
  repeatOnceConnected(server, options, () => tariffs.look());
  const startedAt = performance.now();
  const check = async () => requireRecent(tariffs.ageMs ?? performance.now() - startedAt);
  server.dependencies.set('tariff', { check, required: false });
  context.tariffLoad.fill(() => {
    const load = tariffs.load;
    return load ? { tariffLoad: load } : {};
  });
  const quoteTokens = new QuoteTokens(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  const countQuotes = quoteMetrics(metrics, tariffs);
  const quotes = { tariffs, quoteTokens, countQuotes };
  context.pricing.fill({
    priceOf: (request) => priceGuides({ ...quotes, localTime }, request),
    warningsOf: warnOfMissingPrices,
    created: (user, prices, guides) => countCreated({ countQuotes, userActions }, user, prices, guides),
  });
  const warnOfLost = (version: number) =>
    log.warn(`A guide that was weighed has no new price: cannot read version ${version} of the tariff`);
  context.adjustersOf.fill(adjusters(tariffs, warnOfLost));
  return quotes;
}

/**
 * @param ageMs since the log of tariffs was read, or since the start of a process that has not read it yet.
 * @throws Error after a minute: prices may be old, and withdrawals unknown.
 */
function requireRecent(ageMs: number): void {
  if (ageMs > TARIFF_STALE.ageMs) throw new Error('The log of tariffs was not read for a minute');
}
