import { expect } from 'vitest';
import { buildApi } from '#services/api/app.ts';
import { ApiConfig } from '#services/api/config.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { dependencyStates } from '#shared/stores/dependencies.ts';
import { Client } from '#test/fixtures/client.ts';
import { startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test } from '#test/fixtures/services.ts';

test('quotes go on by the last tariff while MongoDB is away, and a new user gets none', async ({
  startApi,
  stores,
}) => {
  const proxy = await startMongoProxy(stores.mongoUri, () => 'done');
  const { url } = await startApi({ MONGODB_URI: proxy.uri });
  const client = await Client.login(url);
  const unknown = await Client.login(url, 'lectura');
  const quote = (asker: Client) =>
    asker.post('/api/guias/cotizar', {
      Guia: [
        {
          Destinatario: { CodigoPostal: '64000' },
          Producto: { Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ValorDeclarado: 1500 },
        },
      ],
    });
  expect((await quote(client)).status).toBe(200);
  await proxy.close();
  // What was read of the user is older than five seconds then, and than half an hour.
  passTime(60_000);
  const priced = await quote(client);
  expect([priced.status, priced.body.data]).toMatchObject([
    200,
    [{ Opciones: [{ SEND_TOTAL: 194.3 }, { SEND_TOTAL: 169.85 }] }],
  ]);
  expect((await quote(unknown)).status).toBe(503);
  passTime(1_800_000);
  expect((await quote(client)).status).toBe(503);
});

test('the log of tariffs is down a minute after the start of an api that cannot read it, not at once', async ({
  env,
  stores,
  onTestFinished,
}) => {
  const away = { MONGODB_URI: 'mongodb://127.0.0.1:1/away', BRANCHES_URL: 'http://127.0.0.1:1' };
  const redis = { REDIS_URL: stores.redisUrls.api, LABEL_CACHE_URL: stores.labelCacheUrls.api };
  const config = loadConfig(ApiConfig, { ...env, ...redis, ...away });
  const { server } = await buildApi(config, createLogger('api', 'silent'));
  onTestFinished(() => server.close());
  expect(await dependencyStates(server.dependencies)).toMatchObject({ mongodb: 'down', tariff: 'ok' });
  passTime(61_000);
  expect(await dependencyStates(server.dependencies)).toMatchObject({ mongodb: 'down', tariff: 'down' });
});
