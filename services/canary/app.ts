import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { CanaryConfig } from './config.ts';
import { Credential } from './http/credential.ts';
import { waysIn } from './http/ways.ts';
import { addCanaryGauges, stepObserver } from './metrics.ts';
import { startReader } from './reading/reader.ts';
import { reportRoutes } from './report-routes.ts';
import { Canary } from './rounds/canary.ts';

/**
 * Builds the canary: a customer of our own, which has no rights in any store and goes by the ways that customers use. It is ready at
 * once, whatever its rounds find.
 * @param readSecrets reads the settings again: a secret may have been renewed.
 */
export function buildCanary(
  config: CanaryConfig,
  log: Logger,
  readSecrets: () => Pick<CanaryConfig, 'CANARY_KEY' | 'CANARY_PASSWORD'> = () => config,
): Promise<HttpServer> {
  return buildHttpServer({ log }, async (server) => {
    const canary = new Canary({
      ways: waysIn(config),
      key: new Credential(() => readSecrets().CANARY_KEY),
      reader: await startReader(),
      observe: stepObserver(server.metrics),
      log,
    });
    addCanaryGauges(server.metrics, canary);
    reportRoutes(server, canary);
    server.addHook('onReady', async () => canary.start());
    server.addHook('preClose', () => canary.stop());
  });
}
