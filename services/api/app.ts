import { join } from 'node:path';
import autoload from '@fastify/autoload';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { type ApiConfig, type ApiOptions, LABEL_TIMEOUTS } from './config.ts';
import { docsRoutes } from './docs/routes.ts';
import { apiErrors } from './errors.ts';
import { accountQuota } from './routes/account-quota.ts';
import login from './routes/api/auth/login.ts';
import { authenticate } from './routes/authenticate.ts';
import { authorize } from './routes/authorize.ts';
import { heavyRequests } from './routes/heavy-requests.ts';
import { trackingProblems, trackingRoutes } from './routes/rastreo.ts';

/** Builds the API, not yet listening, whether or not its stores are there; closing it closes all that it opened. */
export function buildApi(
  config: ApiConfig,
  log: Logger,
  tracing?: Tracing,
  labelTimeouts = LABEL_TIMEOUTS,
): Promise<HttpServer> {
  const { DRAIN_MS: drainMs, TRUST_PROXY: trustProxy } = config;
  const options: ApiOptions = { config, tracing, labelTimeouts };
  return buildHttpServer(
    { log, errors: apiErrors, drainMs, trustProxy, anySlashes: true, onBadUrl: trackingProblems(config) },
    async (server) => {
      // Each plugin after those that it depends on, and so closed before them.
      await server.register(autoload, { dir: folder('plugins'), options });
      // Whatever needs no token is named here.
      await server.register(docsRoutes, options);
      await server.register(login, options);
      await server.register(trackingRoutes, options);
      await server.register(async (authenticated) => {
        await authenticated.register(authenticate);
        await authenticated.register(accountQuota);
        await authenticated.register(authorize);
        await authenticated.register(heavyRequests);
        // Every other file below `routes/api`, at its path.
        await authenticated.register(autoload, {
          dir: folder('routes/api'),
          options: { ...options, prefix: '/api' },
        });
      });
    },
  );
}

function folder(name: string): string {
  return join(import.meta.dirname, name);
}
