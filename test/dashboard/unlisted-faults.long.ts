import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { expect, onTestFinished, vi } from 'vitest';
import { redisRules } from '#local/access/redis-acl.ts';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { serviceSettings } from '#local/system.ts';
import { Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { NAMED, STARTED, test as watched } from '#test/fixtures/dashboard/watched-system.ts';
import { type Fate, type MongoCommand, startMongoProxy, WRITES } from '#test/fixtures/mongo-proxy.ts';

/**
 * Faults for which there is no diagnosis of their own, or in which every part answers its ping: the outcomes of what users do
 * name them. Users create, print and cancel all the time.
 */

// The first test starts every service.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

const USERS = 4;
const SLOW_NAMED = { timeout: 120_000, interval: 200 };
/** A change that takes new space, in bytes. */
const LARGE = 100_000;

const test = watched
  .extend('mongo', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const fault = { fateOf: (_: MongoCommand): Fate | Promise<Fate> => 'done' };
    const proxy = await startMongoProxy(stores.mongoUri, (command) => fault.fateOf(command));
    onCleanup(() => proxy.close());
    return Object.assign(fault, { port: Number(new URL(proxy.uri).port) });
  })
  .extend('storePorts', { scope: 'file' }, ({ mongo: { port } }) => ({ mongodb: port }))
  /** Has MongoDB treat commands otherwise, until the end of the test or the returned function is called. */
  .extend('breakMongo', { scope: 'file' }, ({ mongo }) => (fateOf: typeof mongo.fateOf) => {
    mongo.fateOf = fateOf;
    const mend = () => {
      mongo.fateOf = () => 'done';
    };
    onTestFinished(mend);
    return mend;
  })
  /** Starts one more api, with settings that differ. @returns its address, and what ends it. */
  .extend('startSecondApi', ({ folder, system, systemOptions }, { onCleanup }) => {
    return async (settings: Record<string, string>) => {
      const port = await freePort();
      const usual = serviceSettings(systemOptions, system.addresses).api;
      const second = startProcess({
        name: 'api-2',
        command: [process.execPath, join(repoRoot, 'services/api/main.ts')],
        env: { ...process.env, ...usual, ...settings, PORT: String(port) },
        logFile: join(folder, 'api-2.log'),
        stopTimeoutMs: 25_000,
      });
      onCleanup(() => second.stop());
      const isAlive = () =>
        call(`http://127.0.0.1:${port}/health/live`).then(
          ({ status }) => status,
          () => 0,
        );
      await expect.poll(isAlive, STARTED).toBe(200);
      return { url: `http://127.0.0.1:${port}`, stop: () => second.stop() };
    };
  })
  .extend('traffic', { scope: 'file', auto: true }, async ({ demo, isWell }, { onCleanup }) => {
    await isWell(STARTED);
    const end = new AbortController();
    const use = async () => {
      while (!end.signal.aborted) {
        const [guide] = (await demo.created(minimalGuide()).catch(() => undefined)) ?? [];
        if (!guide) continue;
        await demo.pdf(`/api/guias/etiqueta/${guide.SEND_GUIA}`).catch(() => {});
        await demo.post(`/api/guias/${guide.SEND_GUIA}/cancelar`, {}).catch(() => {});
      }
    };
    const users = Array.from({ length: USERS }, use);
    onCleanup(async () => {
      end.abort();
      await Promise.all(users);
    });
  });

test('a MongoDB that answers, and takes no write', async ({ breakMongo, isNamed, isWell, system }) => {
  const mend = breakMongo((command) => (WRITES.some((write) => write in command) ? 'not primary' : 'done'));
  await isNamed(/^MongoDB rechaza escrituras de api, webhooks: no se crean guías, ni se registran eventos$/);
  const { status, body } = await call(`${system.addresses.api}/health/ready`);
  expect([status, body]).toMatchObject([200, { status: 'degraded', mongodb: 'read-only' }]);
  mend();
  await isWell();
});

test('a MongoDB whose disk is full, in which small changes still fit', async ({
  breakMongo,
  isNamed,
  isWell,
  system,
}) => {
  const mend = breakMongo(({ insert, updates = [] }) =>
    insert || mongo.BSON.calculateObjectSize({ updates }) > LARGE ? 'no space for each' : 'done',
  );
  await isNamed(/^El disco de MongoDB está lleno: no se crean guías, ni se registran eventos$/);
  const { status, body } = await call(`${system.addresses.api}/health/ready`);
  expect([status, body]).toMatchObject([200, { status: 'degraded', mongodb: 'disk-full' }]);
  mend();
  await isWell();
});

test('a collection that is locked', async ({ breakMongo, isNamed, isWell }) => {
  const lock = Promise.withResolvers<Fate>();
  breakMongo((command) => (command.insert === 'guides' ? lock.promise : 'done'));
  onTestFinished(() => lock.resolve('done'));
  await isNamed(/^Crear guías falla desde hace .*: \d+ de \d+, la última: sin_respuesta$/);
  lock.resolve('done');
  await isWell();
});

test('a MongoDB that takes long for what is written: a customer waits, and nothing else is said', async ({
  breakMongo,
  isWell,
  read,
}) => {
  const mend = breakMongo(async (command) => {
    if (WRITES.some((write) => write in command)) await sleep(700);
    return 'done' as const;
  });
  const waits =
    /^El cliente de prueba espera demasiado para crear guías por la dirección de los clientes desde hace .*: [\d.]+ m?s, objetivo 300 ms$/;
  const said = async () => {
    const { customer, lines } = await read();
    return { customer, others: lines.filter((line) => !waits.test(line)) };
  };
  // Three rounds of the canary have to be late.
  await expect.poll(said, SLOW_NAMED).toEqual({ customer: expect.stringMatching(waits), others: [] });
  mend();
  await isWell();
});

test('a right that is lost, of events alone', async ({ breakMongo, isNamed, isWell }) => {
  const mend = breakMongo((command) => (command.insert === 'events' ? 'not allowed' : 'done'));
  await isNamed(/^Registrar eventos falla desde hace .*: \d+ de \d+, la última: error_interno$/);
  mend();
  await isWell();
});

test('webhooks that cannot be read, twice, while none is due', async ({ breakMongo, isNamed, isWell }) => {
  for (const _ of ['once', 'again']) {
    const looks = ({ find, filter }: MongoCommand) =>
      find === 'webhooks' && 'leaseUntil' in (filter as object);
    const mend = breakMongo((command) => (looks(command) ? 'not allowed' : 'done'));
    await isNamed(/^Mandar webhooks falla desde hace .*: \d+ de \d+, la última: no se leen$/);
    mend();
    await isWell();
  }
});

test('keys of Redis that the api may not use any more', async ({ isNamed, isWell, stores }) => {
  const user = `${stores.prefix.slice(1, -1)}-api`;
  const keys = `${stores.prefix.replace('}', '*}')}`;
  const rules = redisRules('api', keys);
  const mend = () => stores.redis.acl('SETUSER', user, ...rules);
  onTestFinished(async () => void (await mend()));
  const queue = `~${keys}:labels:*`;
  await stores.redis.acl('SETUSER', user, ...rules.filter((rule) => rule !== queue));
  await isNamed(/^Imprimir etiquetas falla desde hace .*: \d+ de \d+, la última: error_interno$/);
  await mend();
  await isWell();
});

test('an api whose token branches does not take: it never gets ready', async ({
  demo,
  isNamed,
  isWell,
  startSecondApi,
}) => {
  const { url, stop } = await startSecondApi({ INTERNAL_TOKEN: randomBytes(32).toString('hex') });
  await isNamed(
    /^El INTERNAL_TOKEN de api en .*, no es el de 1 proceso de branches, 1 proceso de webhooks: /,
  );
  const ready = await call(`${url}/health/ready`);
  expect([ready.status, ready.body]).toMatchObject([503, { branches: 'refused', webhooks: 'refused' }]);
  const body = { TipoServicio: 'Domicilio', Guia: [minimalGuide()] };
  expect((await new Client(url, demo.token).post('/api/guias/crear', body)).status).toBe(500);
  await stop();
  await isWell();
});

test('an api that takes no token of the others: it never gets ready', async ({
  demo,
  isNamed,
  isWell,
  startSecondApi,
}) => {
  const { url, stop } = await startSecondApi({ JWT_SECRET: randomBytes(32).toString('hex') });
  await isNamed(/^El JWT_SECRET de api en .*, no es el de 1 proceso de api: /);
  await expect
    .poll(async () => (await call(`${url}/health/ready`)).body, NAMED)
    .toMatchObject({ status: 'down', mongodb: 'ok', branches: 'ok', start: 'waiting' });
  expect((await new Client(url, demo.token).get('/api/guias')).status).toBe(401);
  await stop();
  await isWell();
});
