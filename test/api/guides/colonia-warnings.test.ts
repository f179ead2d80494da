import { describe, expect, test as pure } from 'vitest';
import { closestColonia, comparableName } from '#services/api/branches/postal-codes/colonia-names.ts';
import { branches } from '#services/api/branches/room.ts';
import { PostalCodeStore } from '#shared/branches/postal-code-store.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `colonia_desconocida`: a colonia that the catalogue does not have at its postal code (docs/contract.md "Guides"). */

const test = services.extend('load', { scope: 'file' }, ({ api, stores }) => {
  const store = new PostalCodeStore(stores.mongo);
  return async (colonias: Record<string, string[]>) => {
    const place = { Estado: 'Sierra', Municipio: 'Peñón', Ciudad: '' };
    const codes = Object.entries(colonias).map(([CodigoPostal, Colonias]) => ({
      CodigoPostal,
      ...place,
      Colonias,
    }));
    await store.replace((await store.newest())?._id ?? 0, codes, 'ana');
    await api.contextOf(branches).catalogue.look();
  };
});

describe('a name', () => {
  pure.for([
    ['Juárez', 'juarez', 'JUÁREZ', ' Col.  Juárez ', 'Colonia Juarez', 'Col Juárez.', 'Jua\u0301rez'],
    ['Roma Norte', 'Fracc. Roma-Norte', 'Fraccionamiento Roma Norte', 'Col. La Roma, Norte', 'roma  norte'],
    ['Ñandú', 'nandu', 'Barrio de Ñandú', 'Bo. Ñandú'],
    ['Centro (Área 1)', 'Centro', 'Col. Centro'],
    ['Unidad Habitacional El Sol', 'U.H. El Sol', 'U. H. Sol', 'El Sol'],
    ['Ampliación Santa Fe 2a Sección', 'Amp. Sta. Fe, 2a Secc.', 'ampl sta fe 2A sec'],
    ['El Pueblo', 'pueblo'],
    ['La Colonia', 'Colonia'],
    ['123', 'Col. 123'],
  ])('of %s may be written in many ways', (written) => {
    const [name = ''] = written;
    expect(new Set(written.map(comparableName))).toEqual(new Set([comparableName(name)]));
    expect(comparableName(name)).not.toBe('');
  });

  pure('of another colonia is another', () => {
    const names = [
      'Roma Norte',
      'Roma Sur',
      'Roma',
      'Centro',
      'Centro Sur',
      'Pueblo Nuevo',
      'Nuevo León',
      'Sol 1',
      'Sol 2',
    ];
    expect(new Set(names.map(comparableName)).size).toBe(names.length);
  });

  pure.for<[string, string | undefined]>([
    ['Jaurez', 'Juárez'],
    ['Col. Centro', 'Monterrey Centro'],
    ['Roma', undefined], // of two colonias
    ['Tepito', undefined],
    ['...', undefined],
  ])('%s most likely means %s', ([name, meant]) => {
    const known = ['Juárez', 'Monterrey Centro', 'Roma Norte', 'Roma Sur'];
    const colonias = new Map(known.map((colonia) => [comparableName(colonia), colonia]));
    expect(closestColonia(comparableName(name), colonias)).toBe(meant);
  });
});

test('crear and validar name a colonia of another postal code, of recipient and sender', async ({
  demo,
  load,
}) => {
  const address = { CodigoPostal: '06600', Calle: 'Norte', Numero_exterior: '1' };
  const guide = (recipient: object, sender: object = {}) => ({
    ...minimalGuide({ ...address, ...recipient }),
    Remitente: { Nombre: 'Ana', ...sender },
  });
  const Guia = [
    guide({ Colonia: 'Col. Juarez' }, { CodigoPostal: '64000', Colonia: 'A' }),
    guide({ Colonia: 'Jaurez' }, { CodigoPostal: '64000', Colonia: 'Tepito' }),
    guide({ Colonia: 'Tepito' }, { CodigoPostal: '99999', Colonia: 'Tepito' }),
    guide({}, { Colonia: 'Tepito' }),
  ];
  const warned = async (path: string) => {
    const { status, body } = await demo.post(path, { TipoServicio: 'Domicilio', Guia });
    expect(status).toBe(200);
    return body.advertencias;
  };
  expect(await warned('/api/guias/validar')).toBeUndefined();
  await load({ '06600': ['Juárez', 'Roma Norte'], '64000': ['A', 'B', 'C', 'D', 'E', 'F', 'G'] });
  const codigo = 'colonia_desconocida';
  for (const path of ['/api/guias/validar', '/api/guias/crear']) {
    expect(await warned(path)).toEqual([
      {
        ...{ indice: 1, campo: 'Destinatario.Colonia', codigo },
        message: expect.stringMatching(/06600.*'Juárez'/),
      },
      {
        ...{ indice: 1, campo: 'Remitente.Colonia', codigo },
        message: expect.stringMatching(/64000.* A, B, C, D, E y 2 más$/),
      },
      {
        ...{ indice: 2, campo: 'Destinatario.Colonia', codigo },
        message: expect.stringMatching(/06600.* Juárez, Roma Norte$/),
      },
    ]);
  }
  // Names are compared as those of the catalogue that is in force.
  await load({ '06600': ['Jaurez', 'Tepito'] });
  expect(await warned('/api/guias/validar')).toMatchObject([{ indice: 0, campo: 'Destinatario.Colonia' }]);
});
