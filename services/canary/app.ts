import { canaryNames } from '#shared/canary/names.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { canaryWebhook } from '#shared/webhooks/canary-address.ts';
import type { CanaryConfig } from './config.ts';
import { Credential } from './http/credential.ts';
import { customersWay, processWays } from './http/ways.ts';
import { addCanaryGauges, stepObserver } from './metrics.ts';
import { startReader } from './reading/reader.ts';
import { PAGE_POLICY, reportRoutes } from './report-routes.ts';
import { Canary } from './rounds/canary.ts';
import { OwnWebhook } from './webhook/own-webhook.ts';
import { receiverRoute } from './webhook/receiver-route.ts';

/**
 * Pauses before a refused secret is tried again, in ms. After ten tries in 15 minutes such a key is answered 429, which stops nobody
 * else; failed logins also count against the address, which customers may share (docs/contract.md "Keys", "Authentication").
 */
const [KEY_AGAIN_MS, PASSWORD_AGAIN_MS] = [30_000, 300_000];

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
  return buildHttpServer({ log, pagePolicy: PAGE_POLICY }, async (server) => {
    const { CANARY_URL, CUSTOMERS_URL, API_PROCESSES_URL, CELL } = config;
    const webhook = CANARY_URL === undefined ? undefined : new OwnWebhook(canaryWebhook(CANARY_URL));
    const canary = new Canary({
      customers: customersWay(CUSTOMERS_URL),
      processes: API_PROCESSES_URL === undefined ? undefined : processWays(API_PROCESSES_URL),
      newKey: () => new Credential(() => readSecrets().CANARY_KEY, KEY_AGAIN_MS),
      login: {
        username: canaryNames(CELL).loginUser,
        password: new Credential(() => readSecrets().CANARY_PASSWORD, PASSWORD_AGAIN_MS),
      },
      webhook,
      reader: await startReader(),
      observe: stepObserver(server.metrics),
      log,
    });
    addCanaryGauges(server.metrics, canary);
    reportRoutes(server, canary);
    if (webhook) await receiverRoute(server, webhook);
    server.addHook('onReady', async () => canary.start());
    server.addHook('preClose', async () => canary.stop());
  });
}
