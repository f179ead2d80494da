import { expect } from 'vitest';
import { makeCanaryAccount } from '#test/fixtures/canary-account.ts';
import { Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { manifestOf } from '#test/fixtures/manifests.ts';
import { test as services } from '#test/fixtures/services.ts';

/** What the canary makes lives a day, by the field of its account, and starts at the first destination (docs/contract.md "Canary"). */

const DAY_MS = 24 * 3_600_000;
type Expiring = { _id: string; createdUtc: Date; expiresAt?: Date; keptUntil?: Date; numbers?: string[] };

const test = services
  .extend('guardia', { scope: 'file' }, async ({ api, stores }) => {
    const { key } = await makeCanaryAccount(stores);
    return new Client(api.url, key);
  })
  .extend('createWithKey', { scope: 'file' }, () => async (client: Client, key: string) => {
    const body = { TipoServicio: 'Domicilio', Guia: [minimalGuide({ CodigoPostal: '64000' })] };
    const answer = await client.post('/api/guias/crear', body, { 'idempotency-key': key });
    return (answer.body.data as [CreatedGuide])[0];
  })
  .extend('collection', { scope: 'file' }, ({ stores }) => (name: string) => {
    return stores.mongo.collection<Expiring>(name);
  })
  /** Returns when a guide ends, and after how many days. */
  .extend('endOf', { scope: 'file' }, ({ collection }) => async (_id: string) => {
    const stored = await collection('guides').findOne({ _id });
    const { createdUtc, expiresAt } = stored as Required<Expiring>;
    return { expiresAt, days: (expiresAt.getTime() - createdUtc.getTime()) / DAY_MS };
  });

test('its guides, their events and their manifest end a day after their creation', async ({
  guardia,
  collection,
  createWithKey,
  endOf,
}) => {
  const { SEND_GUIA } = await createWithKey(guardia, 'una');
  const { expiresAt, days } = await endOf(SEND_GUIA);
  expect(days).toBe(1);
  const made = await guardia.post('/api/manifiestos', { Guias: [SEND_GUIA] }, { 'idempotency-key': 'una' });
  const { Manifiesto } = manifestOf(made);
  expect(await collection('manifests').findOne({ _id: Manifiesto })).toMatchObject({ expiresAt });
  const played = await guardia.post(`/api/guias/${SEND_GUIA}/simular`, { Escenario: 'entrega' });
  expect(played.status).toBe(200);
  const events = await collection('events').find({ 'told.Guia': SEND_GUIA }).sort({ _id: 1 }).toArray();
  const ends = events.map((entry) => entry.expiresAt ?? entry.keptUntil);
  expect(ends).toEqual([expiresAt, expiresAt, expiresAt, expiresAt]);
});

test('the journal forgets its creation with its guide, and that of a test account after seven days', async ({
  api,
  guardia,
  collection,
  createWithKey,
  endOf,
}) => {
  const tester = await Client.login(api.url, 'prueba');
  const ends: [number, Date | undefined][] = [];
  for (const client of [guardia, tester]) {
    const { SEND_GUIA } = await createWithKey(client, 'otra');
    const done = () => collection('creations').findOne({ numbers: SEND_GUIA });
    await expect.poll(done).toMatchObject({ numbers: [SEND_GUIA] });
    ends.push([(await endOf(SEND_GUIA)).days, (await done())?.expiresAt]);
    if (client === guardia) expect(ends[0]?.[1]).toEqual((await endOf(SEND_GUIA)).expiresAt);
    const again = await createWithKey(client, 'otra');
    expect(again.SEND_GUIA).toBe(SEND_GUIA);
  }
  const [, [testDays, forgottenAt]] = ends as [unknown, [number, Date]];
  expect(testDays).toBe(30);
  expect((forgottenAt.getTime() - Date.now()) / DAY_MS).toBeCloseTo(7, 1);
});

test('a guide of it starts where it goes to, and no other user does without an origin', async ({
  api,
  guardia,
}) => {
  const Producto = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ValorDeclarado: 1500 };
  const Guia = [{ ...minimalGuide({ CodigoPostal: '64000' }), Producto }];
  const order = { TipoServicio: 'Domicilio', Guia };
  const [created] = await guardia.created(...Guia);
  expect(created).toMatchObject({ SEND_SUCU_ORIG: 'MTY01', SEND_SUCU_DEST: 'MTY01' });
  for (const route of ['validar', 'cotizar']) {
    const { status, body } = await guardia.post(`/api/guias/${route}`, order);
    expect([status, body.data]).toMatchObject([200, [{ SEND_SUCU_ORIG: 'MTY01', SEND_SUCU_DEST: 'MTY01' }]]);
  }
  const nowhere = await guardia.create([minimalGuide({ CodigoPostal: '00001' })]);
  expect([nowhere.status, nowhere.body.codigo]).toEqual([400, 'origen_invalido']);
  const other = await (await Client.login(api.url, 'sinorigen')).create(Guia);
  expect([other.status, other.body.codigo]).toEqual([400, 'origen_no_asignado']);
});
