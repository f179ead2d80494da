import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { requireReady } from '#local/system.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { test } from '#test/fixtures/services.ts';

/** How processes end, and how `npm start` starts them. */

/** Longest time in which a service that does not wait for its requests would close its stores, in ms. */
const OBSERVED_MS = 1_000;

test.concurrent('an api that is asked to end answers the creation that it has begun, then ends', async ({
  env,
  stores,
  branches,
  expect,
  folder,
  onTestFinished,
}) => {
  const inserting = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const proxy = await startMongoProxy(stores.mongoUri, async ({ insert }): Promise<Fate> => {
    if (insert === 'guides') {
      inserting.resolve();
      await released.promise;
    }
    return 'done';
  });
  const port = await freePort();
  const api = startProcess({
    name: 'api',
    command: [process.execPath, join(repoRoot, 'services/api/main.ts')],
    logFile: join(folder, 'api.log'),
    env: {
      ...process.env,
      ...env,
      HOST: '127.0.0.1',
      PORT: String(port),
      MONGODB_URI: proxy.uri,
      REDIS_URL: stores.redisUrls.api,
      LABEL_CACHE_URL: stores.labelCacheUrls.api,
      BRANCHES_URL: branches.url,
    },
  });
  onTestFinished(async () => {
    await api.stop();
    await proxy.close();
  });
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => requireReady(url).catch(() => false)).toBe(true);
  const client = await Client.login(url);

  const creation = client.create([minimalGuide()]);
  await inserting.promise;
  api.kill('SIGTERM');
  expect(await Promise.race([creation, api.ended, sleep(OBSERVED_MS, 'both wait')])).toBe('both wait');
  await expect.poll(() => fetch(`${url}/health/live`).catch(String)).toBe('TypeError: fetch failed');
  released.resolve();
  expect(await creation).toMatchObject({ status: 200, body: { message: 'Guias creadas: 1' } });
  expect(await api.ended).toMatchObject({ exitCode: 0 });
});
