import { describe, expect } from 'vitest';
import { isGuideNumber } from '#services/api/guides/guide-number.ts';
import { Client, type CreatedGuide, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { createdGuide } from '#test/fixtures/created-guide.ts';
import { test as services } from '#test/fixtures/services.ts';

const MIB = 1_024 * 1_024;
const test = services.extend(
  'stored',
  { scope: 'file' },
  ({ stores }) =>
    () =>
      stores.mongo.collection('guides').countDocuments(),
);

describe('POST /api/guias/crear creates', () => {
  test('the smallest guide, by postal code', async ({ demo }) => {
    const { status, body } = await demo.create([minimalGuide()]);
    expect(status).toBe(200);
    expect(body).toEqual({
      response: 'OK',
      message: 'Guias creadas: 1',
      data: [createdGuide('MEX01')],
    });
  });

  test('a guide with every field', async ({ demo }) => {
    const [guide] = await demo.created(fullGuide());
    expect(guide).toMatchObject({ SEND_SUCU_DEST: 'MTY01', SEND_REMITENTE: 'Ana López' });
  });

  test('several guides, in their order, each with a number of its own', async ({ demo }) => {
    const destinations = [
      { CodigoPostal: '64000' },
      { DestinoCode: 'PUE01' },
      { CodigoPostal: '44100' },
      { DestinoCode: ' gdl01 ' },
      { DestinoCode: 'MTY01', CodigoPostal: '99999' },
    ];
    const { body } = await demo.create(destinations.map((destination) => minimalGuide(destination)));
    expect(body.message).toBe('Guias creadas: 5');
    const guides = body.data as { SEND_GUIA: string; SEND_SUCU_DEST: string }[];
    expect(guides.map((guide) => guide.SEND_SUCU_DEST)).toEqual([
      'MTY01',
      'PUE01',
      'GDL01',
      'GDL01',
      'MTY01',
    ]);
    expect(new Set(guides.map((guide) => guide.SEND_GUIA)).size).toBe(5);
    expect(guides.every((guide) => isGuideNumber(guide.SEND_GUIA))).toBe(true);
  });

  test('a guide with null and blank text in optional fields, which mean absent', async ({ demo }) => {
    const guide = minimalGuide({ CodigoPostal: '06600', DestinoCode: '', Email: null, Telefono: '  ' });
    expect((await demo.create([guide])).status).toBe(200);
  });

  test('500 guides in one request', async ({ demo }) => {
    const { body } = await demo.create(Array.from({ length: 500 }, () => minimalGuide()));
    expect(body.message).toBe('Guias creadas: 500');
    expect(new Set((body.data as { SEND_GUIA: string }[]).map((guide) => guide.SEND_GUIA)).size).toBe(500);
  });

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
      expect(uncovered.body.message).toBe('No hay cobertura para el código postal: 99999');
      expect(refused.body.message).toBe('La sucursal de origen no existe o no esta activa');
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
});

describe('POST /api/guias/crear refuses', () => {
  const guide = minimalGuide();
  test.for([
    ['a body without the array', { TipoServicio: 'Domicilio' }, "El JSON no contiene el array 'Guia'"],
    ['text for the array', { TipoServicio: 'Domicilio', Guia: 'x' }, "El JSON no contiene el array 'Guia'"],
    ['an array as the body', [guide], "El JSON no contiene el array 'Guia'"],
    ['null as the body', null, "El JSON no contiene el array 'Guia'"],
    ['an empty array', { TipoServicio: 'Domicilio', Guia: [] }, "El array 'Guia' esta vacio"],
    [
      '501 guides',
      { TipoServicio: 'Domicilio', Guia: Array.from({ length: 501 }, () => guide) },
      'Maximo 500 guias por solicitud',
    ],
    ['no service type', { Guia: [guide] }, "El campo 'TipoServicio' es requerido"],
    ['an empty service type', { TipoServicio: '', Guia: [guide] }, "El campo 'TipoServicio' es requerido"],
    [
      'another service type',
      { TipoServicio: 'Avion', Guia: [guide] },
      'TipoServicio solo acepta: Domicilio, the service',
    ],
    [
      'a service type of another type',
      { TipoServicio: 1, Guia: [guide] },
      'TipoServicio solo acepta: Domicilio, the service',
    ],
  ] as const)('%s', async ([_, body, message], { demo, stored }) => {
    const before = await stored();
    const answer = await demo.post('/api/guias/crear', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ response: 'ERROR', message });
    expect(await stored()).toBe(before);
  });

  test.for([
    ['no destination', {}, 'Destinatario.CodigoPostal', 'Se requiere DestinoCode o CodigoPostal'],
    [
      'a postal code that nobody covers',
      { CodigoPostal: '99999' },
      'Destinatario.CodigoPostal',
      'No hay cobertura para el código postal: 99999',
    ],
    [
      'a postal code of a branch that does not receive',
      { CodigoPostal: '22000' },
      'Destinatario.CodigoPostal',
      'No hay cobertura para el código postal: 22000',
    ],
    [
      'a postal code of a branch that is not active',
      { CodigoPostal: '77500' },
      'Destinatario.CodigoPostal',
      'No hay cobertura para el código postal: 77500',
    ],
    [
      'an unknown branch',
      { DestinoCode: 'XXX99' },
      'Destinatario.DestinoCode',
      'DestinoCode no corresponde a sucursal valida',
    ],
    [
      'an unknown branch beside a covered postal code',
      { DestinoCode: 'XXX99', CodigoPostal: '06600' },
      'Destinatario.DestinoCode',
      'DestinoCode no corresponde a sucursal valida',
    ],
    [
      'a branch that does not receive',
      { DestinoCode: 'TIJ01' },
      'Destinatario.DestinoCode',
      'DestinoCode no corresponde a sucursal valida',
    ],
  ] as const)('%s', async ([_, destination, campo, message], { demo }) => {
    const { status, body } = await demo.create([minimalGuide(destination)]);
    expect(status).toBe(400);
    expect(body).toMatchObject({ response: 'ERROR', message, details: [{ indice: 0, campo, message }] });
  });

  test('a whole batch for one bad guide, and names every bad one', async ({ demo, stored }) => {
    const before = await stored();
    const { status, body } = await demo.create([
      minimalGuide(),
      minimalGuide({ CodigoPostal: '99999' }),
      minimalGuide({ DestinoCode: 'XXX99' }),
    ]);
    expect(status).toBe(400);
    expect(body.message).toBe('No hay cobertura para el código postal: 99999');
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

  test('a user without an origin branch', async ({ api }) => {
    const user = await Client.login(api.url, 'sinorigen');
    const { status, body } = await user.create([minimalGuide()]);
    expect(status).toBe(400);
    expect(body.message).toBe('Usuario API no tiene sucursal de origen asignada');
  });

  test('a user whose origin branch is not active', async ({ api }) => {
    const user = await Client.login(api.url, 'inactiva');
    const { status, body } = await user.create([minimalGuide()]);
    expect(status).toBe(400);
    expect(body.message).toBe('La sucursal de origen no existe o no esta activa');
  });
});
