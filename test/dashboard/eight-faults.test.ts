import { expect, onTestFinished, vi } from 'vitest';
import type { ServiceName } from '#local/system.ts';
import { AccountLimitsStore } from '#services/api/accounts/account-limits.ts';
import type { Episode } from '#services/dashboard/diagnosis-history.ts';
import { startProxy } from '#test/faults/system/proxy.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { NAMED, STARTED, test as watched } from '#test/fixtures/dashboard/watched-system.ts';
import { startReceiver } from '#test/fixtures/receiver.ts';

// The first test starts every service.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

/** Tests with the real processes, behind proxies of the stores that can hang. */
const test = watched
  .extend('proxies', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const { mongoUri, redisUrl, labelCacheUrl } = stores;
    const open = (url: string) => startProxy(() => Number(new URL(url).port));
    const proxies = {
      mongodb: await open(mongoUri),
      queue: await open(redisUrl),
      labels: await open(labelCacheUrl),
    };
    onCleanup(async () => {
      for (const proxy of Object.values(proxies)) await proxy.close();
    });
    return proxies;
  })
  .override('storePorts', { scope: 'file' }, ({ proxies: { mongodb, queue, labels } }) => ({
    ...{ mongodb: mongodb.port, queue: queue.port, labels: labels.port },
  }))
  /** Waits until a fault that is named has lasted: what one look alone has seen is not told after its end. */
  .extend('hasLasted', { scope: 'file' }, ({ stores: { redis, prefix } }) => async (line: RegExp) => {
    const lasting = async () => {
      const episodes = (await redis.hvals(`${prefix}:problems`)).map((text) => JSON.parse(text) as Episode);
      return episodes.some(({ text, from, to }) => line.test(text) && to - from >= 1_000);
    };
    await expect.poll(lasting, NAMED).toBe(true);
  })
  /** Waits until the end of a problem with this word is told, and nothing else is wrong. */
  .extend('hasEnded', { scope: 'file' }, ({ read }) => async (what: string) => {
    const told = new RegExp(`^Terminó a las \\d\\d:\\d\\d, desde las \\d\\d:\\d\\d: .*${what}`);
    await expect.poll(read, NAMED).toEqual({
      ...{ headline: 'Todo bien', lines: [] },
      ended: expect.arrayContaining([expect.stringMatching(told)]),
    });
  })
  /** Freezes a process, without which its sockets stay open, as if it hung. @returns what lets it go on. */
  .extend('freeze', { scope: 'file' }, ({ system }) => (service: ServiceName) => {
    const process = system.processes[service];
    process.kill('SIGSTOP');
    const goOn = () => process.kill('SIGCONT');
    onTestFinished(goOn);
    return goOn;
  })
  .extend('traffic', { scope: 'file', auto: true }, async ({ demo, read }, { onCleanup }) => {
    await expect.poll(read, STARTED).toMatchObject({ headline: 'Todo bien', lines: [] });
    const end = new AbortController();
    let number = '';
    const run = async () => {
      while (!end.signal.aborted) {
        const [guide] = (await demo.created(minimalGuide()).catch(() => undefined)) ?? [];
        number = guide?.SEND_GUIA ?? number;
        await demo.pdf(`/api/guias/etiqueta/${number}`).catch(() => {});
      }
    };
    const running = run();
    onCleanup(async () => {
      end.abort();
      await running;
    });
  });

test.for<[fault: ServiceName, line: RegExp]>([
  ['label-worker', /^No hay ningún label-worker vivo: no se imprime nada$/],
  ['branches', /^Ningún proceso de branches da señales$/],
  ['api', /^Ningún proceso de api da señales$/],
])('%s hangs', async ([service, line], { freeze, hasEnded, hasLasted, isNamed }) => {
  const goOn = freeze(service);
  await isNamed(line);
  await hasLasted(line);
  goOn();
  await hasEnded(service);
});

test('the Redis of the labels hangs', async ({ hasEnded, hasLasted, isNamed, proxies }) => {
  const thaw = proxies.labels.freeze();
  onTestFinished(thaw);
  const line = /^El Redis de las etiquetas no responde a api, label-worker, dashboard$/;
  await isNamed(line);
  await hasLasted(line);
  thaw();
  await hasEnded('El Redis de las etiquetas no responde a');
});

test('MongoDB hangs: nobody can log in, and the login page says why', async ({
  hasEnded,
  isNamed,
  proxies,
  system,
}) => {
  const thaw = proxies.mongodb.freeze();
  onTestFinished(thaw);
  await isNamed(/^MongoDB no responde a api, branches, webhooks, dashboard$/);
  const stranger = new Visitor(system.addresses.dashboard);
  const why = /MongoDB no responde al tablero: ahora nadie puede entrar, .* href="\/runbook#mongodown"/;
  expect((await stranger.page('/entrar')).text).toMatch(why);
  const attempt = await stranger.login('operaciones');
  expect([attempt.status, attempt.text]).toEqual([503, expect.stringMatching(why)]);
  thaw();
  await hasEnded('MongoDB no responde a');
  await expect.poll(async () => (await stranger.login('operaciones')).status, NAMED).toBe(303);
});

test('the Redis of the queue hangs: the page that is shown instead says so', async ({
  hasEnded,
  operator,
  proxies,
  system,
}) => {
  const thaw = proxies.queue.freeze();
  onTestFinished(thaw);
  const says = /<h1>El Redis de la cola no responde al tablero<\/h1>.* href="\/runbook#redisdown"/s;
  await expect
    .poll(() => operator.page('/'), NAMED)
    .toMatchObject({ status: 503, text: expect.stringMatching(says) });
  // So that it lasts for two looks: what one look alone has seen is not told afterwards.
  for (let more = 0; more < 3; more++) expect((await operator.page('/')).status).toBe(503);
  const stranger = new Visitor(system.addresses.dashboard);
  expect((await stranger.page('/entrar')).text).toMatch(
    /El Redis de la cola no responde al tablero: ahora nadie puede entrar ni ver Estado/,
  );
  thaw();
  await hasEnded('El Redis de la cola no responde a');
});

test("a receiver that answers 500 is its account's matter", async ({ demo, isNamed, read }) => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = (response) => void response.writeHead(500).end();
  const { body } = await demo.post('/api/webhooks', { Url: receiver.url });
  const [guide] = await demo.created(minimalGuide());
  await demo.post(`/api/guias/${guide?.SEND_GUIA}/cancelar`, {});
  await isNamed(
    new RegExp(`^Falla el webhook de demo \\(127.0.0.1:${receiver.port}\\), desde hace .*: Respondio 500$`),
  );
  expect((await read()).headline).toBe('Todo bien');
  await demo.post(`/api/webhooks/${(body.data as { Id: string }).Id}`, {}, {}, 'DELETE');
  await expect.poll(read, NAMED).toMatchObject({ headline: 'Todo bien', lines: [] });
});

test('an account that floods is named, and nothing is wrong', async ({ isNamed, read, stores, system }) => {
  // So low that this machine exceeds it.
  await new AccountLimitsStore(stores.mongo).set('otro', { requestsPerSecond: 10, requestsBurst: 10 });
  const otro = await Client.login(system.addresses.api, 'otro');
  const end = new AbortController();
  onTestFinished(() => end.abort());
  for (let client = 0; client < 50; client++) {
    void (async () => {
      while (!end.signal.aborted) await otro.get('/api/guias').catch(() => {});
    })();
  }
  await isNamed(
    /^La cuenta otro pasa su límite: [\d,]+ de sus solicitudes recibieron 429 en el último minuto$/,
  );
  expect((await read()).headline).toBe('Todo bien');
});
