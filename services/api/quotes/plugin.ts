import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { TARIFF_STALE } from '#shared/observability/thresholds.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import type { ApiOptions } from '../config.ts';
import { repeatOnceConnected } from '../platform/repeat.ts';
import { adjusters } from './adjustment.ts';
import { warnOfMissingPrices } from './missing-prices.ts';
import { priceGuides } from './price-guides.ts';
import { type CountQuotes, countCreated, quoteMetrics } from './quote-metrics.ts';
import { QuoteTokens } from './quote-token.ts';
import { CurrentTariff } from './tariffs/current-tariff.ts';
import { TariffStore } from './tariffs/tariff-store.ts';

declare module 'fastify' {
  interface FastifyInstance {
    tariffs: CurrentTariff;
    quoteTokens: QuoteTokens;
    countQuotes: CountQuotes;
  }
}

/** Pause between looks for new versions, in ms: a withdrawal is known within ten seconds (docs/contract.md "Quotes"). */
const LOOK_MS = 3_000;

/** Keeps the tariff that is in force, and signs quotes. Everything but quotes works without a tariff. */
export const tariffsPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const tariffs = new CurrentTariff(new TariffStore(server.mongo), new DatabaseClock(server.mongo));
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
  server.decorate('tariffs', tariffs);
  server.decorate('tariffLoad', () => {
    const load = tariffs.load;
    return load ? { tariffLoad: load } : {};
  });
  server.decorate('quoteTokens', new QuoteTokens(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS));
  const countQuotes = quoteMetrics(server.metrics, tariffs);
  server.decorate('countQuotes', countQuotes);
  server.pricing = {
    priceOf: (request) => priceGuides(server, request),
    warningsOf: warnOfMissingPrices,
    created: (user, prices, guides) => countCreated(server, user, prices, guides),
  };
  server.adjustersOf = adjusters(tariffs, (version) =>
    server.log.warn(
      `A guide that was weighed has no new price: cannot read version ${version} of the tariff`,
    ),
  );
});

/**
 * @param ageMs since the log of tariffs was read, or since the start of a process that has not read it yet.
 * @throws Error after a minute: prices may be old, and withdrawals unknown.
 */
function requireRecent(ageMs: number): void {
  if (ageMs > TARIFF_STALE.ageMs) throw new Error('The log of tariffs was not read for a minute');
}
