import type { CanaryReport } from '#shared/canary/report.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { CanaryConfig } from './config.ts';

/**
 * Builds the canary: a customer of our own, which has no rights in any store and goes by the ways that customers use. It is ready at
 * once, whatever its rounds find.
 */
export function buildCanary(_config: CanaryConfig, log: Logger): Promise<HttpServer> {
  return buildHttpServer({ log }, async (server) => {
    server.get('/health/rounds', { config: { quiet: true } }, async (): Promise<CanaryReport> => {
      return { key: 'ok', ways: [], series: [], uptimeMs: performance.now() };
    });
  });
}
