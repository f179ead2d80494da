import { expect } from 'vitest';
import {
  type Ask,
  type Conformance,
  cancel,
  empty,
  field,
  get,
  missing,
  no,
  parameter,
  post,
  type User,
  withGuide,
} from '#test/fixtures/conformance.ts';

/** Asks for the labels of the guide of `demo`, so many times, as a user. */
const file =
  (count: number, Tipo = 'carta', user: User = 'demo', query = ''): Ask =>
  ({ users, number }) =>
    users[user].post(`/api/guias/etiquetas${query}`, { Guias: Array(count).fill(number), Tipo });
const named = (type: string, name: RegExp) => ({
  headers: { 'content-type': type, 'content-disposition': expect.stringMatching(name), vary: 'Accept' },
});

export const conformance: Conformance = {
  sections: {
    'Messages and statuses': [
      ['the guide number does not exist', get('/api/guias/etiqueta/999999999995'), no('guia_no_encontrada')],
      [
        'the label of a cancelled guide',
        withGuide(async ({ otro }, number) => {
          await cancel(otro, number);
          return otro.get(`/api/guias/etiqueta/${number}`);
        }),
        no('guia_cancelada'),
      ],
    ],
    Labels: [
      ['the letter label', get('/api/guias/etiqueta/{guia}')],
      ['the small label, several packages', get('/api/guias/etiqueta-pequena/{guia}?paquetes=2')],
      ['the label of 10 × 15 cm, several packages', get('/api/guias/etiqueta-10x15/{guia}?paquetes=2')],
      ['the label of 10 × 15 cm, one package', get('/api/guias/etiqueta-10x15/{guia}?paquetes=3&paquete=2')],
      [
        'a label as PNG, by the parameter',
        get('/api/guias/etiqueta/{guia}?formato=png&dpi=300'),
        named('image/png', /^inline; filename="guia-\d{12}\.png"$/),
      ],
      [
        'a label as ZPL, by Accept',
        get('/api/guias/etiqueta-10x15/{guia}?paquetes=2', 'demo', { accept: 'application/zpl' }),
        named('application/zpl', /^inline; filename="guia-\d{12}-10x15\.zpl"$/),
      ],
      [
        'a PNG of several pages',
        get('/api/guias/etiqueta-10x15/{guia}?paquetes=3&formato=png'),
        no('parametro_invalido', { message: 'Un PNG tiene una sola pagina; indique paquete, de 1 a 3' }),
      ],
      [
        'a PNG of many labels',
        file(2, 'carta', 'demo', '?formato=png'),
        parameter(
          'formato',
          'Un PNG tiene una sola pagina y estas etiquetas tienen 2; pida formato=pdf o formato=zpl',
        ),
      ],
      ['another density', get('/api/guias/etiqueta/{guia}?formato=zpl&dpi=600'), parameter('dpi')],
      [
        'a form that there is not',
        get('/api/guias/etiqueta/{guia}', 'demo', { accept: 'application/json' }),
        no('formato_no_aceptable', { headers: { vary: 'Accept' } }),
      ],
      [
        'paquetes out of range',
        get('/api/guias/etiqueta-pequena/{guia}?paquetes=100'),
        parameter('paquetes', 'paquetes debe ser un numero entero de 1 a 99'),
      ],
      [
        'paquete out of range, 10 × 15 cm',
        get('/api/guias/etiqueta-10x15/{guia}?paquetes=2&paquete=3'),
        parameter('paquete', 'paquete debe ser un numero entero de 1 a 2'),
      ],
      ['the labels of many guides as one file, 10 × 15 cm', file(1, '10x15')],
      ['the labels of many guides as one file', file(2)],
      ['a file with a guide of another account', file(1, 'carta', 'otro'), no('guia_no_encontrada')],
      [
        'a file without the array of guides',
        post('/api/guias/etiquetas', { Tipo: 'carta' }),
        missing('Guias'),
      ],
      ['a file of no guides', file(0), empty('Guias')],
      ['a file of too many guides', file(501), no('guia_array_largo', { campo: 'Guias' })],
      [
        'a file of a kind that there is not',
        file(1, 'grande'),
        field('campo_formato', 'Tipo', 'solo acepta: carta, pequena, 10x15'),
      ],
    ],
  },
  refusals: {
    formato_no_aceptable: [406, 'Formatos disponibles: application/pdf, image/png, application/zpl'],
  },
  elsewhere: {
    paginas_excedidas: 'test/api/labels/label-file.test.ts',
    etiqueta_fallida: 'test/api/labels/label-file-failures.test.ts',
    etiqueta_tardia: 'test/api/labels/label-file-turns.test.ts',
  },
};
