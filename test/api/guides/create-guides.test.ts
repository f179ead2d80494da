import { describe, expect } from 'vitest';
import { Client, type CreatedGuide, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

const MIB = 1_024 * 1_024;
const test = services.extend('stored', { scope: 'file' }, ({ stores }) => () => {
  return stores.mongo.collection('guides').countDocuments();
});

describe('POST /api/guias/crear creates', () => {
  test('500 guides in the largest body that is taken, once for each key', async ({ demo, stored }) => {
    const before = await stored();
    const long = '𝕬'.repeat(120); // four bytes each
    const guide = fullGuide();
    Object.assign(guide.Remitente, { Nombre: long });
    Object.assign(guide.Destinatario, { Nombre: long, RazonSocial: long, Estado: long, Municipio: long });
    Object.assign(guide.Destinatario, { Colonia: long, Calle: long, Referencias: long + long });
    Object.assign(guide.Producto, { Contenido: long + long, InformacionAdicional: long + long });
    Object.assign(guide, { Creado_por: { Nombre: long, Agencia: long }, Referencia: long.slice(0, 120) });
    const body = { TipoServicio: 'Domicilio', Guia: Array.from({ length: 500 }, () => guide) };
    const size = Buffer.byteLength(JSON.stringify(body));
    expect([size > 3.8 * MIB, size < 4 * MIB]).toEqual([true, true]);
    const create = () => demo.post('/api/guias/crear', body, { 'idempotency-key': 'the-largest' });
    expect((await create()).status).toBe(200);
    expect((await create()).headers.get('idempotent-replayed')).toBe('true');
    expect(await stored()).toBe(before + 500);
  });

  test('for users who ask at the same moment what each of them asked for', async ({ api, demo, stored }) => {
    const [otro, inactiva] = await Promise.all([
      Client.login(api.url, 'otro'),
      Client.login(api.url, 'inactiva'),
    ]);
    const before = await stored();
    const turns = await Promise.all(
      Array.from({ length: 10 }, async () => [
        await Promise.all([
          demo.create([minimalGuide({ CodigoPostal: '64000' }), minimalGuide({ DestinoCode: 'PUE01' })]),
          otro.create([minimalGuide({ CodigoPostal: '44100' })]),
          otro.create([minimalGuide({ CodigoPostal: '99999' })]),
          inactiva.create([minimalGuide()]),
          demo.create(Array.from({ length: 30 }, () => minimalGuide())),
        ]),
      ]),
    );
    const way = ({ SEND_SUCU_ORIG, SEND_SUCU_DEST }: CreatedGuide) => `${SEND_SUCU_ORIG}-${SEND_SUCU_DEST}`;
    for (const [two, one, uncovered, refused, many] of turns.flat()) {
      expect((two.body.data as CreatedGuide[]).map(way)).toEqual(['MEX01-MTY01', 'MEX01-PUE01']);
      expect((one.body.data as CreatedGuide[]).map(way)).toEqual(['GDL01-GDL01']);
      expect(uncovered.body.codigo).toBe('sin_cobertura');
      expect(refused.body.codigo).toBe('origen_invalido');
      expect(many.body.message).toBe('Guias creadas: 30');
    }
    expect(await stored()).toBe(before + 10 * 33);
  });

  test('a guide with its date in the configured time zone', async ({ demo }) => {
    const zone = 'America/Mexico_City';
    const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
    const before = parts.format(new Date());
    const [guide] = await demo.created(minimalGuide());
    expect([before, parts.format(new Date())]).toContain(guide?.SEND_FECHA.slice(0, 10));
  });

  test('guides without their unknown fields if the client prefers, and names fifty', async ({
    demo,
    stores,
  }) => {
    const lenient = { prefer: 'handling=lenient' };
    const create = (body: object, ...Guia: object[]) =>
      demo.post('/api/guias/crear', { TipoServicio: 'Domicilio', Guia, ...body }, lenient);
    const { status, headers, body } = await create({ Origen: 'GDL01' }, minimalGuide(), {
      ...minimalGuide(),
      Prioridad: 'alta',
    });
    expect([status, headers.get('preference-applied')]).toEqual([200, 'handling=lenient']);
    const left = { codigo: 'campo_desconocido' };
    expect(body.advertencias).toMatchObject([
      { campo: 'Origen', ...left },
      { indice: 1, campo: 'Prioridad', ...left },
    ]);
    const [, created] = body.data as CreatedGuide[];
    const guides = stores.mongo.collection<{ _id: string; guide: object }>('guides');
    expect((await guides.findOne({ _id: created?.SEND_GUIA ?? '' }))?.guide).toEqual(minimalGuide());

    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, 1]));
    const many = await create({}, { ...minimalGuide(), ...unknown });
    expect([many.body.advertencias?.length, many.body.advertenciasTotal]).toEqual([50, 60]);
  });

  test('guides that labels do not print whole, with a warning for each field, also when repeated', async ({
    demo,
  }) => {
    const key = { 'idempotency-key': 'letras' };
    const guide = {
      ...minimalGuide({ CodigoPostal: '06600', Municipio: '中' }),
      Remitente: { Nombre: '中' },
      Producto: { Contenido: '中', TipoEnvio: '中' },
      Creado_por: { Agencia: '中' },
      Referencia: '中',
    };
    const create = () =>
      demo.post('/api/guias/crear', { TipoServicio: 'Domicilio', Guia: Array(10).fill(guide) }, key);
    const first = await create();
    expect(first.body.advertencias?.slice(0, 6)).toMatchObject(
      [
        'Remitente.Nombre',
        'Destinatario.Municipio',
        'Producto.Contenido',
        'Producto.TipoEnvio',
        'Creado_por.Agencia',
        'Referencia',
      ].map((campo) => ({ indice: 0, campo, codigo: 'caracteres_no_imprimibles' })),
    );
    expect([first.body.advertencias?.length, first.body.advertenciasTotal]).toEqual([50, 60]);
    const again = await create();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
  });
});

describe('POST /api/guias/crear refuses', () => {
  test('a whole batch for one bad guide, and names every bad one', async ({ demo, stored }) => {
    const before = await stored();
    const { status, body } = await demo.create([
      minimalGuide(),
      minimalGuide({ CodigoPostal: '99999' }),
      minimalGuide({ DestinoCode: 'XXX99' }),
    ]);
    expect(status).toBe(400);
    expect(body.codigo).toBe('sin_cobertura');
    expect(body.details?.map(({ indice }) => indice)).toEqual([1, 2]);
    expect(await stored()).toBe(before);
  });

  test('every bad field of every guide at once', async ({ demo }) => {
    const { status, body } = await demo.create([
      minimalGuide({ CodigoPostal: '0660', Telefono: 5512345678, Emial: 'x@y.mx' }),
      { ...minimalGuide(), Producto: { Contenido: 'x'.repeat(251), Peso: -1 }, Creado_por: undefined },
      null,
    ]);
    expect(status).toBe(400);
    const found = body.details?.map(({ indice, campo }) => `${indice} ${campo ?? ''}`.trim());
    expect(found?.sort()).toEqual([
      '0 Destinatario.CodigoPostal',
      '0 Destinatario.Emial',
      '0 Destinatario.Telefono',
      '1 Creado_por',
      '1 Producto.Contenido',
      '1 Producto.Peso',
      '2',
    ]);
    expect(body.message).toBe(body.details?.[0]?.message);
  });
});
