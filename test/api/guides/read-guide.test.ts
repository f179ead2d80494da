import { describe, expect } from 'vitest';
import { Client, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { test } from '#test/fixtures/services.ts';

describe('GET /api/guias/{guia}', () => {
  test('answers the record of the creation with every field as stored', async ({ demo }) => {
    const sent = fullGuide();
    sent.Remitente.Telefono = '(55) 1234-5678';
    sent.Destinatario.RFC = 'cno-800101-ab1';
    const [created] = (await demo.create([sent], 'the service')).body.data as { SEND_GUIA: string }[];
    const { status, body } = await demo.get(`/api/guias/${created?.SEND_GUIA}`);
    expect([status, body.message]).toEqual([200, 'Guia encontrada']);
    expect(body.data).toEqual({ ...created, TipoServicio: 'the service', ...fullGuide() });
  });

  test.for(['100000000001', '1', 'abc', '%7B%22$gt%22:%22%22%7D', 'etiqueta'])(
    'is not found: %s',
    async (text, { demo }) => {
      const { status, body } = await demo.get(`/api/guias/${text}`);
      expect([status, body.message, body.codigo]).toEqual([404, 'Guia no encontrada', 'guia_no_encontrada']);
    },
  );
});

describe('POST /api/guias/validar', () => {
  const validate = (client: Client, guides: unknown, headers?: Record<string, string>) =>
    client.post('/api/guias/validar', { TipoServicio: 'Domicilio', Guia: guides }, headers);

  test('answers where the guides would start and end, and stores nothing', async ({ demo, stores }) => {
    const everything = () =>
      Promise.all(['guides', 'creations'].map((name) => stores.mongo.collection(name).countDocuments()));
    const before = await everything();
    const { status, headers, body } = await validate(
      demo,
      [minimalGuide(), minimalGuide({ DestinoCode: 'gdl01' })],
      { 'idempotency-key': 'one' },
    );
    expect([status, body.message]).toEqual([200, 'Guias validas: 2']);
    expect(body.data).toEqual([
      { indice: 0, SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'MEX01' },
      { indice: 1, SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'GDL01' },
    ]);
    expect(await everything()).toEqual(before);
    expect(headers.get('ratelimit')).not.toContain('guias');
  });

  test('counts nothing, also of an account whose day is over', async ({ startApi }) => {
    const api = await startApi({ GUIDES_PER_DAY_PER_ACCOUNT: '2' });
    const otro = await Client.login(api.url, 'otro');
    expect(
      (
        await validate(
          otro,
          Array.from({ length: 3 }, () => minimalGuide()),
        )
      ).status,
    ).toBe(200);
    expect((await otro.create([minimalGuide(), minimalGuide()])).status).toBe(200);
    expect((await otro.create([minimalGuide()])).body.codigo).toBe('cuota_excedida');
    expect((await validate(otro, [minimalGuide()])).status).toBe(200);
  });

  const refusals: [string, (client: Client, path: string) => ReturnType<Client['post']>][] = [
    ['no JSON', (client, path) => client.post(path, '{')],
    [
      'fields',
      (client, path) =>
        client.post(path, { TipoServicio: 'Domicilio', Guia: [{ ...minimalGuide(), Peso: 1 }] }),
    ],
    [
      'destinations',
      (client, path) =>
        client.post(path, { TipoServicio: 'Domicilio', Guia: [minimalGuide({ CodigoPostal: '99999' })] }),
    ],
  ];
  test.for(refusals)('refuses as crear does: %s', async ([_, ask], { demo }) => {
    const [here, there] = [await ask(demo, '/api/guias/validar'), await ask(demo, '/api/guias/crear')];
    expect(here.status).toBeGreaterThanOrEqual(400);
    expect([here.status, { ...here.body, requestId: '' }]).toEqual([
      there.status,
      { ...there.body, requestId: '' },
    ]);
  });
});
