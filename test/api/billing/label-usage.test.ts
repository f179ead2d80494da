import { expect, onTestFinished } from 'vitest';
import { LabelUsage } from '#services/api/billing/label-usage.ts';
import { LABEL_USAGE } from '#shared/billing/usage-model.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** Counts of labels by account and month (k8s/operations.md "Billing"). */

const test = printingTest.extend('counted', { scope: 'file' }, ({ stores }) => {
  return () => modelOf(stores.mongo, LABEL_USAGE).find().select({}).sort({ _id: 1 }).lean();
});
/** Month and day. */
const today = () => {
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Mexico_City' }).format(new Date());
  return [date.slice(0, 7), date.slice(8)] as const;
};

test('counts each label that an answer brings, one for each package', async ({ api, demo, counted }) => {
  const Producto = { Contenido: 'Libros', Paquetes: 3 };
  const guides = await demo.created(minimalGuide(), { ...minimalGuide(), Producto });
  const [one = '', three = ''] = guides.map(({ SEND_GUIA }) => SEND_GUIA);
  const letter = await demo.pdf(`/api/guias/etiqueta/${one}`); // 1
  await demo.pdf(`/api/guias/etiqueta/${one}`); // again, from the cache: 2
  await demo.pdf(`/api/guias/etiqueta-10x15/${three}`); // 5
  await demo.pdf(`/api/guias/etiqueta-10x15/${three}?paquete=2&formato=zpl`); // 6
  expect((await demo.labelFile([one, three, one], 'pequena')).status).toBe(200); // 11
  const etag = { 'if-none-match': letter.headers.get('etag') ?? '' };
  expect((await demo.pdf(`/api/guias/etiqueta/${one}`, etag)).status).toBe(304);
  expect((await demo.pdf('/api/guias/etiqueta/999999999995')).status).toBe(404);
  const authorization = `Bearer ${demo.token}`;
  const head = await fetch(`${api.url}/api/guias/etiqueta/${one}`, {
    method: 'HEAD',
    headers: { authorization },
  });
  expect(head.status).toBe(200);
  const { body } = await demo.post('/api/manifiestos', { Guias: [one] });
  const { Manifiesto } = body.data as { Manifiesto: string };
  expect((await demo.pdf(`/api/manifiestos/${Manifiesto}/pdf`)).status).toBe(200);
  // A user of another account who reads all.
  expect((await (await Client.login(api.url, 'operaciones')).pdf(`/api/guias/etiqueta/${one}`)).status).toBe(
    200,
  );
  const tester = await Client.login(api.url, 'prueba');
  const [rehearsal] = await tester.created(minimalGuide());
  expect((await tester.pdf(`/api/guias/etiqueta/${rehearsal?.SEND_GUIA}`)).status).toBe(200);

  const [month, day] = today();
  const expected = [
    { _id: `${month} demo`, labels: 11, days: { [day]: 11 } },
    { _id: `${month} operaciones`, labels: 1, days: { [day]: 1 } },
    { _id: `${month} pruebas`, labels: 1, days: { [day]: 1 }, test: true },
  ];
  await expect.poll(counted).toEqual(expected);
});

test('an api that closes writes what it has counted', async ({ startApi, demo, counted, number }) => {
  const before = (await counted())[0]?.labels ?? 0;
  const { url, server } = await startApi();
  expect((await new Client(url, demo.token).pdf(`/api/guias/etiqueta/${number}`)).status).toBe(200);
  await server.close();
  expect((await counted())[0]?.labels).toBe(before + 1);
});

test('a count waits while MongoDB takes none, with the kind of its account, and is never written twice', async ({
  stores,
}) => {
  let fate: Fate = 'done';
  const proxy = await startMongoProxy(stores.mongoUri, (command) => ('update' in command ? fate : 'done'));
  const mongo = await connectMongo(proxy.uri, createLogger('api', 'silent'));
  onTestFinished(async () => {
    await mongo.close();
    await proxy.close();
  });
  const usage = new LabelUsage(mongo, () => '2025-01-31T23:59:59');
  const written = async () =>
    (await modelOf(stores.mongo, LABEL_USAGE).findById('2025-01 tienda').lean())?.labels;
  const write = (labels: number, how: Fate) => {
    fate = how;
    usage.count({ account: 'tienda' }, labels);
    return usage.write();
  };
  await write(1, 'done');
  await expect(write(2, 'answer lost')).rejects.toThrow(); // MongoDB has it, and nobody knows
  await write(4, 'done');
  expect(await written()).toBe(7);

  usage.count({ account: 'ensayo', test: true }, 1);
  await expect(write(0, 'no space for each')).rejects.toThrow();
  await write(0, 'done');
  const ofTests = modelOf(stores.mongo, LABEL_USAGE).findById('2025-01 ensayo').lean();
  expect(await ofTests).toMatchObject({ labels: 1, test: true });

  const elect = proxy.stepDown();
  await expect(write(8, 'done')).rejects.toThrow(); // refused
  await expect(write(16, 'done')).rejects.toThrow(); // there is nobody to send it to
  expect(await written()).toBe(7);
  elect();
  await expect.poll(() => write(0, 'done').then(written, () => 0)).toBe(31);
});
