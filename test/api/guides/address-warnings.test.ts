import { describe, expect } from 'vitest';
import { GUIDE_EXAMPLES } from '#services/api/guides/examples.ts';
import { type Client, minimalGuide } from '#test/fixtures/client.ts';
import { test } from '#test/fixtures/services.ts';

/** What `advertencias` say of addresses (docs/contract.md "Guides"); nothing is refused for it. */

const VALIDATE = '/api/guias/validar';

/** Validates guides whose senders have these postal codes and states. @returns the warnings. */
async function senders(demo: Client, pairs: readonly (readonly [code: string, state: string])[]) {
  const Guia = pairs.map(([CodigoPostal, Estado]) => ({
    ...minimalGuide(),
    Remitente: { Nombre: 'Ana', CodigoPostal, Estado },
  }));
  const { status, body } = await demo.post(VALIDATE, { TipoServicio: 'Domicilio', Guia });
  expect([status, body.message]).toEqual([200, `Guias validas: ${pairs.length}`]);
  return body.advertencias as { indice: number; message: string }[] | undefined;
}

describe('the state of a postal code', () => {
  /** The first and the last two digits of each state, and what shops write for it. */
  const STATES: [first: string, last: string, ...written: string[]][] = [
    ['01', '16', 'Ciudad de México', 'CDMX', 'cdmx', 'Distrito Federal', 'D.F.', 'DF', 'Mexico D.F.', 'CMX'],
    ['20', '20', 'Aguascalientes', 'Ags.', 'AGU', 'AG'],
    ['21', '22', 'Baja California', 'Baja California Norte', 'B.C.', 'BC', 'BCN'],
    ['23', '23', 'Baja California Sur', 'B.C.S.', 'BCS', 'BS'],
    ['24', '24', 'Campeche', 'Camp.', 'CAM'],
    ['25', '27', 'Coahuila', 'Coahuila de Zaragoza', 'COAHUILA DE ZARAGOZA', 'Coah.', 'COA'],
    ['28', '28', 'Colima', 'Col.', 'COL'],
    ['29', '30', 'Chiapas', 'Chis.', 'CHP'],
    ['31', '33', 'Chihuahua', 'Chih.', 'CHH'],
    ['34', '35', 'Durango', 'Dgo.', 'DUR'],
    ['36', '38', 'Guanajuato', 'Gto.', 'GUA'],
    ['39', '41', 'Guerrero', 'Gro.', 'GRO'],
    ['42', '43', 'Hidalgo', 'Hgo.', 'HID'],
    ['44', '49', 'Jalisco', 'Jal.', 'JAL', 'jalisco '],
    [
      '50',
      '57',
      'Estado de México',
      'México',
      'Edo. de México',
      'Edo. Méx.',
      'EDOMEX',
      'MEX',
      'estado de mexico',
    ],
    ['58', '61', 'Michoacán', 'Michoacán de Ocampo', 'MICHOACAN', 'Mich.', 'MIC'],
    ['62', '62', 'Morelos', 'Mor.', 'MOR'],
    ['63', '63', 'Nayarit', 'Nay.', 'NAY'],
    ['64', '67', 'Nuevo León', 'Nuevo Leo\u0301n', 'NUEVO LEON', 'N.L.', 'NL', 'N. L.', 'NLE'],
    ['68', '71', 'Oaxaca', 'Oax.', 'OAX'],
    ['72', '75', 'Puebla', 'Pue.', 'PUE'],
    ['76', '76', 'Querétaro', 'Querétaro de Arteaga', 'Qro.', 'QUE'],
    ['77', '77', 'Quintana Roo', 'Q. Roo', 'QROO', 'ROO'],
    ['78', '79', 'San Luis Potosí', 'S.L.P.', 'SLP'],
    ['80', '82', 'Sinaloa', 'Sin.', 'SIN'],
    ['83', '85', 'Sonora', 'Son.', 'SON'],
    ['86', '86', 'Tabasco', 'Tab.', 'TAB'],
    ['87', '89', 'Tamaulipas', 'Tamps.', 'TAM'],
    ['90', '90', 'Tlaxcala', 'Tlax.', 'TLA'],
    ['91', '96', 'Veracruz', 'Veracruz de Ignacio de la Llave', 'Ver.', 'VER'],
    ['97', '97', 'Yucatán', 'Yuc.', 'YUC'],
    ['98', '99', 'Zacatecas', 'Zac.', 'ZAC'],
  ];
  const spelled = STATES.flatMap(([first, last, ...written]) =>
    written.flatMap((state) => [[`${first}000`, state] as const, [`${last}999`, state] as const]),
  );

  test('may be written in any way that shops do', async ({ demo }) => {
    expect(await senders(demo, spelled)).toBeUndefined();
  });

  test('is told from every other state, however that is written', async ({ demo }) => {
    const before = (first: string) => `${String(Number(first) - 1).padStart(2, '0')}999`;
    const beyond = (last: string) => `${String(Number(last) + 1).padStart(2, '0')}000`;
    // The neighbours of a range are of another state, or of none: 00, 17 to 19, 100.
    const elsewhere = STATES.flatMap(([first, last, ...written]) =>
      [before(first), beyond(last)]
        .filter((code) => /^(?!00|1[789])\d{5}$/.test(code))
        .flatMap((code) => written.map((state) => [code, state] as const)),
    );
    for (let from = 0; from < elsewhere.length; from += 50) {
      const some = elsewhere.slice(from, from + 50);
      const warned = new Set((await senders(demo, some))?.map(({ indice }) => indice));
      expect(some.filter((_, indice) => !warned.has(indice))).toEqual([]);
    }
  });

  test('is not compared with a word that may mean anything, nor of a code that no state has', async ({
    demo,
  }) => {
    const words = [
      'N/A',
      'MX',
      'S/N',
      'Centro',
      'Texas',
      'Нуэво-Леон',
      '-',
      'Ciudad',
      'Nuevo Leon y Coahuila',
    ];
    const unclear = words.map((state) => ['64000', state] as const);
    const both = ['06600', '57000'].map((code) => [code, 'México'] as const);
    const none = ['00810', '17000', '19999'].map((code) => [code, 'Jalisco'] as const);
    expect(await senders(demo, [...unclear, ...both, ...none])).toBeUndefined();
  });
});

test('crear, validar and cotizar name a postal code of another state, of recipient and sender', async ({
  demo,
}) => {
  const guide = {
    ...minimalGuide({ CodigoPostal: '64000', Estado: 'Jalisco' }),
    Remitente: { Nombre: 'Ana', CodigoPostal: '06600', Estado: 'Edo. de México' },
    Producto: { Contenido: 'Libros', Peso: 1, Largo: 10, Ancho: 10, Alto: 10 },
  };
  const codigo = 'cp_y_estado_distintos';
  for (const path of ['/api/guias/crear', VALIDATE, '/api/guias/cotizar']) {
    const { status, body } = await demo.post(path, {
      TipoServicio: 'Domicilio',
      Guia: [{ ...guide, Destinatario: { ...guide.Destinatario, Estado: 'Nuevo León' } }, guide],
    });
    expect(status).toBe(200);
    const sender = {
      campo: 'Remitente.CodigoPostal',
      codigo,
      message: expect.stringMatching(/06600.*Ciudad de México.*Edo\. de México/),
    };
    expect(body.advertencias).toEqual([
      { indice: 0, ...sender },
      {
        indice: 1,
        campo: 'Destinatario.CodigoPostal',
        codigo,
        message: expect.stringMatching(/64000.*Nuevo León.*Jalisco/),
      },
      { indice: 1, ...sender },
    ]);
  }
});

test('crear and validar name a home delivery without street or number, cotizar does not', async ({
  demo,
}) => {
  const home = minimalGuide({ CodigoPostal: '64000' });
  const without = (...names: string[]) => ({
    ...home,
    Destinatario: Object.fromEntries(
      Object.entries(home.Destinatario).filter(([name]) => !names.includes(name)),
    ),
    Producto: { Contenido: 'Libros', Peso: 1, Largo: 10, Ancho: 10, Alto: 10 },
  });
  const Guia = [without(), without('Calle'), without('Numero_exterior'), without('Calle', 'Numero_exterior')];
  const incomplete = (indice: number, ...missing: string[]) => ({
    indice,
    campo: missing[0],
    codigo: 'domicilio_incompleto',
    message: expect.stringContaining(missing.join(', ')),
  });
  for (const path of ['/api/guias/crear', VALIDATE]) {
    const { body } = await demo.post(path, { TipoServicio: 'Domicilio', Guia });
    expect(body.advertencias).toEqual([
      incomplete(1, 'Destinatario.Calle'),
      incomplete(2, 'Destinatario.Numero_exterior'),
      incomplete(3, 'Destinatario.Calle', 'Destinatario.Numero_exterior'),
    ]);
    const pickUp = await demo.post(path, { TipoServicio: 'the service', Guia });
    expect([pickUp.status, pickUp.body.advertencias]).toEqual([200, undefined]);
  }
  const quoted = await demo.post('/api/guias/cotizar', { TipoServicio: 'Domicilio', Guia });
  expect([quoted.status, quoted.body.advertencias]).toEqual([200, undefined]);
});

test('a street may end in its number', async ({ demo }) => {
  const warnedOf = async (streets: readonly string[]) => {
    const Guia = streets.map((Calle) => {
      const guide = minimalGuide({ CodigoPostal: '64000', Calle });
      return { ...guide, Destinatario: { ...guide.Destinatario, Numero_exterior: null } };
    });
    const { status, body } = await demo.post(VALIDATE, { TipoServicio: 'Domicilio', Guia });
    expect(status).toBe(200);
    const warnings = (body.advertencias ?? []) as { indice: number }[];
    return warnings.map(({ indice }) => streets[indice]);
  };
  const whole = [
    'Av. Juárez 800',
    'Hidalgo #5 int. 2',
    '16 de Septiembre 12-B',
    'Calle 5 No. 12',
    'Sol s/n',
    'Sol SN',
  ];
  expect(await warnedOf(whole)).toEqual([]);
  const streets = ['Av. Juárez', 'Calle 5', 'Av. 20', '16 de Septiembre', 'Snell'];
  expect(await warnedOf(streets)).toEqual(streets);
});

test.for(Object.entries(GUIDE_EXAMPLES))(
  'the example %s of the guide earns no warning',
  async ([, { value }], { demo }) => {
    const { status, body } = await demo.post(VALIDATE, value);
    expect([status, body.advertencias]).toEqual([200, undefined]);
  },
);
