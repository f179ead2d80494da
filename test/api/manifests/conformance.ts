import { expect } from 'vitest';
import type { Answer, Client } from '#test/fixtures/client.ts';
import {
  type Api,
  type Ask,
  type Conformance,
  cancel,
  get,
  no,
  post,
  text,
  withGuide,
} from '#test/fixtures/conformance.ts';

/** Does something with a manifest of a new guide of `otro`. */
const withManifest = (use: (users: Api['users'], manifest: string, guide: string) => Promise<Answer>): Ask =>
  withGuide(async (users, guide) => {
    const { body } = await users.otro.post('/api/manifiestos', { Guias: [guide] });
    return use(users, (body.data as { Manifiesto: string }).Manifiesto, guide);
  });
const scan = (client: Client, Manifiesto: string, more: object = {}) =>
  client.post('/api/eventos', {
    Manifiesto,
    Tipo: 'Recolectado',
    Ocurrido: new Date().toISOString(),
    ...more,
  });

export const conformance: Conformance = {
  sections: {
    'End of the day': [
      [
        'a manifest of guides that are named',
        withGuide(({ otro }, number) => otro.post('/api/manifiestos', { Guias: [number] })),
        {
          message: 'Manifiesto creado',
          data: {
            Manifiesto: expect.stringMatching(/^M[1-9][0-9]{10}$/),
            Fecha: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
            ...{ SEND_SUCU_ORIG: 'GDL01', Guias: 1, Paquetes: 1, Peso: 0 },
            Detalle: [{ SEND_GUIA: text, TipoServicio: 'Domicilio', SEND_SUCU_DEST: 'MEX01', Paquetes: 1 }],
          },
        },
      ],
      [
        'a manifest of all that waits',
        withGuide(({ otro }) => otro.post('/api/manifiestos', {})),
        { message: 'Manifiesto creado' },
      ],
      [
        'a manifest is read, with what was cancelled since',
        withManifest(async ({ otro }, manifest, number) => {
          await cancel(otro, number);
          return otro.get(`/api/manifiestos/${manifest}`);
        }),
        { message: 'Manifiesto encontrado', data: expect.objectContaining({ Guias: 1, Canceladas: 1 }) },
      ],
      ['the list of manifests', get('/api/manifiestos', 'lectura'), { message: 'Manifiestos: 0', data: [] }],
      [
        'its PDF',
        withManifest(({ otro }, manifest) => otro.get(`/api/manifiestos/${manifest}/pdf`)),
        {
          headers: {
            'content-type': 'application/pdf',
            'content-disposition': expect.stringMatching(/^inline; filename="manifiesto-M\d{11}\.pdf"$/),
          },
        },
      ],
      [
        'one scan, in which the guide is missing',
        withManifest(({ escaner }, manifest, number) => scan(escaner, manifest, { Faltan: [number] })),
        { message: 'Eventos registrados: 0', data: [] },
      ],
      [
        'a second scan',
        withManifest(async ({ escaner }, manifest) => {
          await scan(escaner, manifest);
          return scan(escaner, manifest);
        }),
        {
          message: 'Eventos registrados: 0',
          data: [{ indice: 0, SEND_GUIA: text, Id: expect.stringMatching(/^M/), resultado: 'repetido' }],
        },
      ],
      [
        'what is missing is of another manifest',
        withManifest(({ escaner }, manifest) => scan(escaner, manifest, { Faltan: ['999999999995'] })),
        no('guia_fuera_del_manifiesto'),
      ],
      [
        'no scanner takes one of a test account',
        ({ users }) => scan(users.escaner, 'M08291365075'),
        no('guia_de_prueba'),
      ],
      [
        'a guide that is in another manifest',
        withManifest(({ otro }, _, number) => otro.post('/api/manifiestos', { Guias: [number] })),
        {
          ...{ status: 409, codigo: 'guia_en_manifiesto' },
          message: expect.stringMatching(/^La guia ya esta en el manifiesto M\d{11}$/) as unknown as string,
        },
      ],
      [
        'a guide twice',
        withGuide(({ otro }, number) => otro.post('/api/manifiestos', { Guias: [number, number] })),
        no('guia_repetida'),
      ],
      ['a guide of another account', post('/api/manifiestos', { Guias: ['1'] }), no('guia_no_encontrada')],
      [
        'none waits',
        withGuide(async ({ otro }) => {
          await otro.post('/api/manifiestos', {});
          return otro.post('/api/manifiestos', {});
        }),
        {
          ...{ status: 409, codigo: 'sin_guias_por_entregar' },
          message: 'La sucursal GDL01 no tiene guias Documentado sin manifiesto',
        },
      ],
      ['an unknown manifest', get('/api/manifiestos/M48291365074'), no('manifiesto_no_encontrado')],
    ],
  },
  refusals: {
    guia_repetida: [409, 'La guia esta dos veces en la lista'],
    manifiesto_no_encontrado: [404, 'Manifiesto no encontrado'],
    guia_fuera_del_manifiesto: [400, 'La guia no esta en el manifiesto', 'Faltan'],
  },
  elsewhere: {
    guia_de_otra_sucursal: 'test/api/manifests/manifests.test.ts',
  },
};
