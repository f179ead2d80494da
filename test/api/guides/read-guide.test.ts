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
    const three = Array.from({ length: 3 }, () => minimalGuide());
    expect((await validate(otro, three)).status).toBe(200);
    expect((await otro.create([minimalGuide(), minimalGuide()])).status).toBe(200);
    expect((await otro.create([minimalGuide()])).body.codigo).toBe('cuota_excedida');
    expect((await validate(otro, [minimalGuide()])).status).toBe(200);
  });

  test.for([{ ...minimalGuide(), Peso: 1 }, minimalGuide({ CodigoPostal: '99999' })])(
    'refuses as crear does: %j',
    async (guide, { demo }) => {
      const [here, there] = [await validate(demo, [guide]), await demo.create([guide])];
      expect([here.status, here.body.message, here.body.details]).toEqual([
        400,
        there.body.message,
        there.body.details,
      ]);
    },
  );
});
