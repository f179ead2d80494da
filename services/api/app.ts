import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { beatWhileServing } from '#shared/http/heartbeats.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { calculatorRoutes } from './calculator/routes.ts';
import { type ApiConfig, type ApiOptions, LABEL_TIMEOUTS } from './config.ts';
import { docsRoutes } from './docs/routes.ts';
import { httpErrors } from './errors.ts';
import { accountQuota } from './hooks/account-quota.ts';
import { authenticate } from './hooks/authenticate.ts';
import { authorize } from './hooks/authorize.ts';
import { countActions } from './hooks/count-actions.ts';
import { delayRateLimited } from './hooks/delay-rate-limited.ts';
import { heavyRequests } from './hooks/heavy-requests.ts';
import { openapi } from './openapi/document.ts';
import { accountsPlugin } from './plugins/accounts.ts';
import { branchesPlugin } from './plugins/branches.ts';
import { corsPlugin } from './plugins/cors.ts';
import { guidesPlugin } from './plugins/guides.ts';
import { labelsPlugin } from './plugins/labels.ts';
import { limitsPlugin } from './plugins/limits.ts';
import { postalCodesPlugin } from './plugins/postal-codes.ts';
import { retentionPlugin } from './plugins/retention.ts';
import { storesPlugin } from './plugins/stores.ts';
import { tariffsPlugin } from './plugins/tariffs.ts';
import { tokensPlugin } from './plugins/tokens.ts';
import { usagePlugin } from './plugins/usage.ts';
import { userActionsPlugin } from './plugins/user-actions.ts';
import { webhooksPlugin } from './plugins/webhooks.ts';
import { branchRoutes } from './routes/branches.ts';
import { creationRoutes } from './routes/create-guides.ts';
import { eventRoutes } from './routes/events.ts';
import { guideRoutes, simulationRoute } from './routes/guide.ts';
import { labelRoutes } from './routes/label.ts';
import { labelFileRoute } from './routes/label-file.ts';
import { listRoute } from './routes/list-guides.ts';
import { loginRoute } from './routes/login.ts';
import { manifestRoutes } from './routes/manifests.ts';
import { passwordRoute } from './routes/password.ts';
import { postalCodeRoute } from './routes/postal-codes.ts';
import { quoteRoute } from './routes/quote-guides.ts';
import { tokenRoutes } from './routes/token.ts';
import { destinationRoute } from './routes/validate-destination.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { trackingProblems, trackingRoutes } from './tracking/routes.ts';

/** Builds the API without listening; it starts even if its stores are down. Closing it closes all that it opened. */
export function buildApi(
  config: ApiConfig,
  log: Logger,
  tracing?: Tracing,
  labelTimeouts = LABEL_TIMEOUTS,
): Promise<HttpServer> {
  const { DRAIN_MS: drainMs, TRUST_PROXY: trustProxy } = config;
  const options: ApiOptions = { config, tracing, labelTimeouts };
  return buildHttpServer(
    { log, errors: httpErrors, drainMs, trustProxy, anySlashes: true, onBadUrl: trackingProblems(config) },
    async (server) => {
      await server.register(corsPlugin, options);
      await server.register(delayRateLimited);
      await server.register(openapi, options);

      // Each plugin stands behind those that it uses, and therefore closes before them.
      await server.register(storesPlugin, options);
      await server.register(userActionsPlugin, options);
      await server.register(accountsPlugin, options);
      await server.register(tokensPlugin, options);
      await server.register(limitsPlugin, options);
      await server.register(branchesPlugin, options);
      await server.register(postalCodesPlugin);
      await server.register(webhooksPlugin, options);
      await server.register(tariffsPlugin, options);
      await server.register(guidesPlugin);
      await server.register(labelsPlugin, options);
      await server.register(usagePlugin);
      await server.register(retentionPlugin, options);
      beatWhileServing(server, 'api', server.redis, config, (at) => ({
        limited: server.quotaReport.mostRefused(),
        actions: server.userActions.report(at),
      }));

      await server.register(countActions);

      // Without a token.
      await server.register(docsRoutes, options);
      await server.register(trackingRoutes, options);
      await server.register(calculatorRoutes, options);
      await server.register(loginRoute, options);
      await server.register(passwordRoute);

      await server.register(async (authenticated) => {
        await authenticated.register(authenticate);
        await authenticated.register(accountQuota);
        await authenticated.register(authorize);
        await authenticated.register(heavyRequests);

        await authenticated.register(eventRoutes);
        await authenticated.register(branchRoutes);
        await authenticated.register(postalCodeRoute);
        await authenticated.register(webhookRoutes, options);
        await authenticated.register(tokenRoutes);
        await authenticated.register(quoteRoute);
        await authenticated.register(creationRoutes);
        await authenticated.register(labelRoutes);
        await authenticated.register(labelFileRoute);
        await authenticated.register(guideRoutes);
        await authenticated.register(simulationRoute);
        await authenticated.register(listRoute);
        await authenticated.register(manifestRoutes);
        await authenticated.register(destinationRoute);
      });
    },
  );
}
