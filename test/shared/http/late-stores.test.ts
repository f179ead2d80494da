import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { buildApi } from '#services/api/app.ts';
import { ApiConfig } from '#services/api/config.ts';
import { buildBranches } from '#services/branches/app.ts';
import { BranchesConfig } from '#services/branches/config.ts';
import { buildDashboard } from '#services/dashboard/app.ts';
import { DashboardConfig } from '#services/dashboard/config.ts';
import { buildLabelWorker } from '#services/label-worker/app.ts';
import { LabelWorkerConfig } from '#services/label-worker/config.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { startProxy, type TcpProxy } from '#test/faults/system/proxy.ts';
import { Client, call, logIn, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/** A door to a store, which nobody passes until it is opened. */
type Door = { url: string; open(): Promise<void>; close(): Promise<void> };

async function closedDoor(direct: string): Promise<Door> {
  const url = new URL(direct);
  const target = Number(url.port);
  url.port = String(await freePort());
  let proxy: TcpProxy | undefined;
  return {
    url: url.href,
    open: async () => {
      proxy = await startProxy(() => target, Number(url.port));
    },
    close: async () => proxy?.close(),
  };
}

/** `start` builds a service, and listens, while neither MongoDB nor Redis is there. */
const test = services.extend('start', { scope: 'file' }, ({ env, stores }, { onCleanup }) => {
  const closers: (() => Promise<unknown>)[] = [];
  onCleanup(async () => {
    for (const close of closers.reverse()) await close();
  });
  return async (name: keyof typeof BUILD, more: Record<string, string> = {}) => {
    const mongo = await closedDoor(stores.mongoUri);
    const redis = await closedDoor(stores.redisUrls[name]);
    closers.push(mongo.close, redis.close);
    const lines: string[] = [];
    const sink = new Writable({
      write: (chunk, _, done) => {
        lines.push(String(chunk));
        done();
      },
    });
    const log = pino({ base: null }, sink) as unknown as Logger;
    const settings = {
      ...env,
      MONGODB_URI: mongo.url,
      REDIS_URL: redis.url,
      LABEL_CACHE_URL: stores.labelCacheUrls[name],
      COOKIE_SECURE: 'false',
      ...more,
    };
    const server = await BUILD[name](settings, log);
    closers.push(() => server.close());
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const messages = () => lines.map((line) => JSON.parse(line).msg as string);
    return { server, url, mongo, redis, messages };
  };
});

const BUILD = {
  api: async (env: NodeJS.ProcessEnv, log: Logger) =>
    (await buildApi(loadConfig(ApiConfig, env), log)).server,
  branches: (env: NodeJS.ProcessEnv, log: Logger) => buildBranches(loadConfig(BranchesConfig, env), log),
  dashboard: (env: NodeJS.ProcessEnv, log: Logger) => buildDashboard(loadConfig(DashboardConfig, env), log),
  'label-worker': (env: NodeJS.ProcessEnv, log: Logger) =>
    buildLabelWorker(loadConfig(LabelWorkerConfig, env), log),
} satisfies Record<string, (env: NodeJS.ProcessEnv, log: Logger) => Promise<HttpServer>>;

const NEEDS_MONGODB = ['api', 'branches', 'dashboard'] as const;
const OURS = {
  response: 'ERROR',
  codigo: 'servicio_no_disponible',
  requestId: expect.any(String),
};

describe('a service that starts before its stores', () => {
  test.for(NEEDS_MONGODB)(
    'is alive, says what is missing, and gets ready by itself: %s',
    async (name, { start, branches, webhooks }) => {
      const urls = { BRANCHES_URL: branches.url, WEBHOOKS_URL: webhooks.url };
      const { url, mongo, redis, server } = await start(name, urls);
      expect((await call(`${url}/health/live`)).status).toBe(200);
      const waiting = await call(`${url}/health/ready`);
      expect(waiting).toMatchObject({
        status: 503,
        body: { status: 'down', mongodb: 'down', redis: 'down', start: 'waiting' },
      });
      expect((await call(`${url}/metrics`)).status).toBe(200);

      await redis.open();
      const ready = () => call(`${url}/health/ready`);
      await expect.poll(async () => (await ready()).body).toMatchObject({ redis: 'ok', mongodb: 'down' });
      expect((await ready()).status).toBe(503);
      await mongo.open();
      await server.startup.done;
      expect(await ready()).toMatchObject({
        status: 200,
        // No label worker is there.
        body: { status: name === 'api' ? 'degraded' : 'ok', mongodb: 'ok', redis: 'ok' },
      });
    },
  );

  test('is our 503 until they are there, then works', async ({ start, branches, labelWorker, stores }) => {
    await stores.mongo.collection('audit').drop();
    const { url, mongo, redis, server, messages } = await start('api', { BRANCHES_URL: branches.url });
    const login = () => logIn(url, 'demo', 'demo1234');
    const refused = await login();
    expect(refused).toMatchObject({ status: 503, body: OURS });
    expect(refused.headers.get('retry-after')).toBe('2');
    expect((await call(`${url}/nada`)).status).toBe(404);
    const about = (text: string) => messages().filter((message) => message.includes(text));
    /** Each try fails; a reason is logged once, and a busy machine may have two. */
    const reasons = (text: string) => [...new Set(about(text))];
    await expect.poll(() => about('The service waits for MongoDB')).not.toHaveLength(0);

    await mongo.open();
    await redis.open();
    await server.startup.done;
    expect(labelWorker.url).toBeTruthy();
    const demo = await Client.login(url);
    const [guide] = await demo.created(minimalGuide());
    expect((await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`)).status).toBe(200);
    expect((await demo.get('/api/guias')).body.data).toMatchObject([{ SEND_GUIA: guide?.SEND_GUIA }]);
    const keys = async (name: string) =>
      (await stores.mongo.collection(name).indexes()).flatMap(({ key }) => Object.keys(key));
    expect(await keys('audit')).toContain('at');
    expect(await keys('creations')).toEqual(expect.arrayContaining(['expiresAt', 'openSince']));

    expect(about('The service waits for MongoDB')).toEqual(reasons('The service waits for MongoDB'));
    expect(about('The service no longer waits for MongoDB')).toHaveLength(1);
    expect(about('The connection to Redis failed')).toEqual(reasons('The connection to Redis failed'));
    expect(about('The connection to Redis is open again')).toHaveLength(1);
  });
});

describe('a wrong setting', () => {
  test('that no restart mends ends the start', async ({ start, branches }) => {
    const more = { BRANCHES_URL: branches.url, MONGODB_URI: 'mongodb://127.0.0.1:x/guias' };
    await expect(start('api', more)).rejects.toThrow(/^Wrong configuration:\n {2}MONGODB_URI: /);
  });
});
