import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';
import { type CountQuotes, quoteMetrics } from '../quotes/quote-metrics.ts';
import { QuoteTokens } from '../quotes/quote-token.ts';
import { repeatOnceConnected } from '../repeat.ts';
import { CurrentTariff } from '../tariffs/current-tariff.ts';
import { TariffStore } from '../tariffs/tariff-store.ts';

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
  const tariffs = new CurrentTariff(new TariffStore(server.mongo));
  const options = {
    name: 'the tariff in force',
    pauseMs: LOOK_MS,
    failed: 'The tariff that was read last stays in force',
  };
  server.startup.onceConnected(options.name, () => tariffs.look(Date.now()));
  repeatOnceConnected(server, options, () => tariffs.look(Date.now()));
  server.decorate('tariffs', tariffs);
  server.decorate('quoteTokens', new QuoteTokens(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS));
  server.decorate('countQuotes', quoteMetrics(server.metrics, tariffs));
});
