import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { provideCanaryAccount } from '#local/canary-account.ts';
import { seedDemoData } from '#local/demo-data.ts';
import { accounts } from '#services/api/accounts/room.ts';
import { run } from '#services/api/cli.ts';
import { readGuidePricings } from '#shared/actions/action-counts.ts';
import { UNANSWERED_MS } from '#shared/actions/user-actions.ts';
import { LABEL_USAGE } from '#shared/billing/usage-model.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { answersOfGuide } from '#shared/stores/answer-log.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { makeCanaryAccount } from '#test/fixtures/canary-account.ts';
import { Client, type CreatedGuide, logIn, minimalGuide } from '#test/fixtures/client.ts';
import { pretendPrinter } from '#test/fixtures/labels/pretended-worker.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as services } from '#test/fixtures/services.ts';

/** The canary heals no counter of customers, and is in no figure, bill or list of theirs (docs/contract.md "Canary"). */

const GOODS = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ValorDeclarado: 1500 };
const guide = () => ({ ...minimalGuide(), Producto: GOODS });
const FIGURES = /^((?:user_actions_total|http_request_duration_seconds_count|quotes_total)\{.*\}) (\d+)$/gm;

const test = services
  .extend('secrets', { scope: 'file', auto: true }, ({ stores }) => makeCanaryAccount(stores))
  .extend('guardia', { scope: 'file' }, ({ api, secrets }) => new Client(api.url, secrets.key))
  .extend('printer', { scope: 'file', auto: true }, async ({ stores }, { onCleanup }) => {
    onCleanup(await pretendPrinter(stores, async () => Buffer.from('%PDF-1.7')));
  })
  /** Returns the figures of an api that count what customers do. */
  .extend('figures', { scope: 'file' }, ({ api }) => async (url = api.url) => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return Object.fromEntries([...metrics.matchAll(FIGURES)].map(([, name, count]) => [name, Number(count)]));
  })
  /** An api whose database does `fate` with each search for a guide and each insert of one. */
  .extend('damaged', { scope: 'file' }, async ({ startApi, stores }, { onCleanup }) => {
    const damage: { fate: Fate | Promise<Fate>; asked: string[] } = { fate: 'done', asked: [] };
    const proxy = await startMongoProxy(stores.mongoUri, (command) => {
      if (command.find !== 'guides' && command.insert !== 'guides') return 'done';
      damage.asked.push(JSON.stringify(command));
      return damage.fate;
    });
    onCleanup(() => proxy.close());
    const api = await startApi({ MONGODB_URI: proxy.uri });
    return { ...api, damage };
  })
  .extend('admin', { scope: 'file' }, ({ stores }) => (...args: string[]) => {
    return runCommand(run, args, { env: { MONGODB_URI: stores.mongoUri } });
  });

test('neither figures of customers nor what is kept of their requests has anything of it', async ({
  api,
  guardia,
  demo,
  figures,
  secrets,
  stores,
}) => {
  const { redisClock, accountRefusals } = api.contextOf(accounts);
  const pricings = () => readGuidePricings(stores.redis, stores.prefix, redisClock.now());
  const before = await figures();
  const order = { TipoServicio: 'Domicilio', Guia: [guide()] };
  const entrance = await logIn(api.url, 'guardia-entrada', secrets.password);
  const [own] = (await guardia.created(guide())) as [CreatedGuide];
  const answersOf = [
    entrance,
    await guardia.post('/api/guias/validar', order),
    await guardia.get(`/api/guias/${own.SEND_GUIA}`),
    await guardia.pdf(`/api/guias/etiqueta/${own.SEND_GUIA}`),
    await guardia.post('/api/guias/cotizar', order),
    await guardia.post('/api/manifiestos', { Guias: [own.SEND_GUIA] }),
    await guardia.post(`/api/guias/${own.SEND_GUIA}/cancelar`, ''),
    await guardia.create([{ ...guide(), Destinatario: { ...guide().Destinatario, CodigoPostal: '00001' } }]),
  ];
  expect(answersOf.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 400]);

  const [real] = (await demo.created(guide(), guide())) as [CreatedGuide];
  expect((await demo.pdf(`/api/guias/etiqueta/${real.SEND_GUIA}`)).status).toBe(200);
  const counted = {
    'user_actions_total{action="create",outcome="ok"}': 1,
    'user_actions_total{action="print",outcome="ok"}': 1,
    'http_request_duration_seconds_count{method="POST",route="/api/guias/crear",status="200"}': 1,
    'http_request_duration_seconds_count{method="GET",route="/api/guias/etiqueta/:guia",status="200"}': 1,
    'quotes_total{result="billed"}': 2,
  };
  await expect.poll(async () => changes(before, await figures())).toEqual(counted);
  const { create = [] } = accountRefusals.report(Date.now());
  expect(create.map(({ account }) => account)).toEqual(['demo']);
  await expect.poll(pricings).toEqual({ priced: 0, billed: 2, without_tariff: 0 });
  const kept = (of: string) => answersOfGuide(stores.cache, stores.prefix, of);
  await expect.poll(() => kept(real.SEND_GUIA)).toMatchObject([{ account: 'demo' }]);
  expect(await kept(own.SEND_GUIA)).toEqual([]);
  const labels = () => modelOf(stores.mongo, LABEL_USAGE).find().select({}).lean();
  await expect.poll(labels).toMatchObject([{ labels: 1 }]);
  expect((await labels()).map(({ _id }) => _id.split(' ')[1])).toEqual(['demo']);
});

test('a customer who fails at night is not healed by good requests of the canary', async ({
  damaged,
  demo,
  number,
  guardia,
}) => {
  const { url, contextOf, damage } = damaged;
  const customer = new Client(url, demo.token);
  const guardian = new Client(url, guardia.token);
  const [own] = (await guardian.created(guide())) as [CreatedGuide];
  const failing = () => contextOf(accounts).userActions.report(Date.now()).read?.failing;
  damage.fate = 'not allowed';
  for (let i = 0; i < 3; i++)
    expect((await customer.get(`/api/guias/${number}`)).status).toBeGreaterThanOrEqual(500);
  await expect.poll(failing).toMatchObject({ notOk: 3, all: 3 });
  damage.fate = 'done';

  for (let i = 0; i < 20; i++) expect((await guardian.get(`/api/guias/${own.SEND_GUIA}`)).status).toBe(200);
  expect(failing()).toMatchObject({ notOk: 3, all: 3 });
  expect((await customer.get(`/api/guias/${number}`)).status).toBe(200);
  await expect.poll(failing).toBeUndefined();
});

test('its failures are no failures of customers, nor is a request of it that waits or is given up', async ({
  damaged,
  demo,
  guardia,
  figures,
  number,
}) => {
  const { url, contextOf, damage } = damaged;
  const guardian = new Client(url, guardia.token);
  const before = await figures(url);
  damage.fate = 'not allowed';
  expect((await guardian.get(`/api/guias/${number}`)).status).toBeGreaterThanOrEqual(500);
  const lock = Promise.withResolvers<Fate>();
  damage.fate = lock.promise;
  const [waiting, other] = [guardian.create([guide()]), new Client(url, demo.token).create([guide()])];
  const failing = () => contextOf(accounts).userActions.report(Date.now()).create?.failing;
  await expect.poll(failing, { timeout: UNANSWERED_MS + 60_000 }).toMatchObject({ notOk: 1, all: 1 });
  /** Creates a guide, and leaves once the database is asked for it, before the answer. */
  const giveUp = async (authorization: string) => {
    const [leaving, Contenido] = [new AbortController(), randomUUID()];
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({
      TipoServicio: 'Domicilio',
      Guia: [{ ...guide(), Producto: { ...GOODS, Contenido } }],
    });
    const { signal } = leaving;
    const left = fetch(`${url}/api/guias/crear`, { method: 'POST', headers, body, signal }).catch(() => {});
    await expect.poll(() => damage.asked.some((command) => command.includes(Contenido))).toBe(true);
    leaving.abort();
    await left;
  };
  await giveUp(`Bearer ${guardia.token}`);
  await giveUp(`Bearer ${demo.token}`);
  damage.fate = 'done';
  lock.resolve('done');
  expect([(await waiting).status, (await other).status]).toEqual([200, 200]);
  expect((await new Client(url, demo.token).created(guide())).length).toBe(1);
  const failed = 'user_actions_total{action="create",outcome="failed"}';
  const ok = 'user_actions_total{action="create",outcome="ok"}';
  const served = 'http_request_duration_seconds_count{method="POST",route="/api/guias/crear",status="200"}';
  const left = 'http_request_duration_seconds_count{method="POST",route="/api/guias/crear",status="499"}';
  await expect.poll(() => figures(url)).toMatchObject({ [ok]: 1 + (before[ok] ?? 0), [left]: 1 });
  const after = await figures(url);
  expect(changes(before, after)).toMatchObject({ [failed]: 1, [ok]: 1, [served]: 2, [left]: 1 });
});

test('a login of it that fails counts nothing either, once it has logged in', async ({
  stores,
  startApi,
  figures,
  secrets,
}) => {
  let fate: Fate = 'done';
  const proxy = await startMongoProxy(stores.mongoUri, ({ find }) => (find === 'users' ? fate : 'done'));
  const { url, contextOf } = await startApi({ MONGODB_URI: proxy.uri });
  const login = (name: string) => logIn(url, name, secrets.password);
  const before = await figures(url);
  expect((await login('guardia-entrada')).status).toBe(200);
  fate = 'not allowed';
  expect((await login('guardia-entrada')).status).toBeGreaterThanOrEqual(500);
  expect((await login('demo')).status).toBeGreaterThanOrEqual(500);
  const failing = () => contextOf(accounts).userActions.report(Date.now()).login?.failing;
  await expect.poll(failing).toMatchObject({ notOk: 1, all: 1 });
  expect(changes(before, await figures(url))).toMatchObject({
    'user_actions_total{action="login",outcome="failed"}': 1,
  });
  await proxy.close();
});

test('its guides are in no usage, also of test accounts', async ({ admin, api, demo, guardia }) => {
  const tester = await Client.login(api.url, 'prueba');
  const [[own], [rehearsed]] = [await guardia.created(guide()), await tester.created(guide())];
  for (const [client, one] of [[guardia, own] as const, [tester, rehearsed] as const])
    expect((await client.post(`/api/guias/${one?.SEND_GUIA}/simular`, { Escenario: 'entrega' })).status).toBe(
      200,
    );
  await demo.created(guide());
  const month = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Mexico_City' })
    .format(new Date())
    .slice(0, 7);
  const accountsIn = ({ out }: { out: string }) =>
    [...out.matchAll(new RegExp(`^${month},([^,]+),`, 'gm'))].map(([, account]) => account);
  expect(accountsIn(await admin('usage', '--month', month, '--test'))).toEqual(['pruebas']);
  expect(accountsIn(await admin('usage', '--month', month))).toEqual(['demo']);
});

test('the list of users has it only with those of test accounts', async ({ admin }) => {
  const names = (out: string) => [...out.matchAll(/guardia-[\w-]+/g)].map(([name]) => name);
  for (const format of [[], ['--json'], ['--csv']]) {
    const [{ out }, all] = [await admin('list', ...format), await admin('list', '--test', ...format)];
    expect([names(out), new Set(names(all.out))]).toEqual([
      [],
      new Set(['guardia-cliente', 'guardia-entrada']),
    ]);
    expect(out).toContain('demo');
  }
  expect((await admin('list', '--test')).out).toMatch(
    /^guardia-entrada +guardia-cliente \(canary\) +activo /m,
  );
});

test("npm start goes on without it, and says why, where its name is a customer's", async ({
  secrets,
  stores,
  onTestFinished,
}) => {
  const uri = `${stores.mongoUri}-taken`;
  const mongo = await connectMongo(uri, createLogger('test', 'silent'));
  onTestFinished(async () => {
    await mongo.dropDatabase();
    await mongo.close();
  });
  expect(await provideCanaryAccount(uri, secrets)).toBeUndefined();
  await mongo
    .collection<{ _id: string }>('users')
    .updateOne({ _id: 'guardia-cliente' }, { $unset: { canaryOf: 1 } });
  expect(await provideCanaryAccount(uri, secrets)).toBe(
    'La cuenta guardia-cliente tiene un usuario que no es del cliente de prueba (canary): guardia-cliente',
  );
  await expect(provideCanaryAccount(uri, { ...secrets, key: 'otra' })).rejects.toThrow('CANARY_KEY');
});

test('demo data are loaded beside it', async ({ stores, onTestFinished }) => {
  const uri = `${stores.mongoUri}-empty`;
  const mongo = await connectMongo(uri, createLogger('api', 'silent'));
  onTestFinished(async () => {
    await mongo.dropDatabase();
    await mongo.close();
  });
  await makeCanaryAccount({ mongo });
  expect(await seedDemoData(uri)).toBe(true);
  expect(await seedDemoData(uri)).toBe(false);
});

/** Returns by how much figures grew, of those that did. */
function changes(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const grown = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, more]) => more !== 0));
}
