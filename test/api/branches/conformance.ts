import { expect } from 'vitest';
import {
  type Conformance,
  get,
  NOT_FOUND,
  no,
  parameter,
  type Row,
  text,
  uncovered,
} from '#test/fixtures/conformance.ts';

const branches = (...codes: string[]) => ({ data: codes.map(branch) });
const branch = (code: string) => expect.objectContaining({ Codigo: code, Activa: true });

export const conformance: Conformance = {
  sections: {
    Branches: [
      ['a valid destination', get('/api/guias/validar-destino/mty01', 'lectura'), { data: branch('MTY01') }],
      ['an unknown destination', get('/api/guias/validar-destino/NADA9'), no('destino_invalido', NOT_FOUND)],
      [
        'the active branches, by code',
        get('/api/sucursales'),
        branches('GDL01', 'MEX01', 'MTY01', 'PUE01', 'TIJ01'),
      ],
      ['destinations only', get('/api/sucursales/destinos'), branches('GDL01', 'MEX01', 'MTY01', 'PUE01')],
      ['origins only', get('/api/sucursales/origenes'), branches('GDL01', 'MEX01', 'MTY01', 'TIJ01')],
      [
        "a branch's record",
        get('/api/guias/validar-destino/MEX01'),
        {
          data: {
            ...{ Codigo: 'MEX01', Nombre: text, Estado: text, Municipio: text, Colonia: text, Calle: text },
            ...{
              Numero: text,
              CodigoPostal: '06600',
              Telefono: text,
              Origen: true,
              Destino: true,
              Activa: true,
              CobraHasta: 5_000,
            },
          },
        },
      ],
      [
        'coverage',
        get('/api/sucursales/cobertura/06600'),
        { data: { CodigoPostal: '06600', Sucursal: branch('MEX01') } },
      ],
      ...['99999', '22000', '77500', 'abc'].map((code): Row => {
        return [`no coverage: ${code}`, get(`/api/sucursales/cobertura/${code}`), uncovered(code, NOT_FOUND)];
      }),
      [
        'all coverage',
        get('/api/sucursales/cobertura'),
        {
          message: 'Rangos: 4',
          data: [
            { Desde: '06600', Hasta: '06600', Sucursal: 'MEX01' },
            { Desde: '44100', Hasta: '44100', Sucursal: 'GDL01' },
            { Desde: '64000', Hasta: '64000', Sucursal: 'MTY01' },
            { Desde: '72000', Hasta: '72000', Sucursal: 'PUE01' },
          ],
          headers: { 'cache-control': 'private' },
        },
      ],
    ],
    'Postal codes': [
      ['no catalogue is loaded', get('/api/codigos-postales/06600'), no('sin_catalogo')],
      [
        'four digits',
        get('/api/codigos-postales/6600'),
        parameter('cp', "El parametro 'cp' debe tener 5 digitos, tambien los ceros del principio"),
      ],
    ],
  },
  refusals: {
    destino_invalido: [400, 'DestinoCode no corresponde a sucursal valida'],
    destino_requerido: [400, 'Se requiere DestinoCode o CodigoPostal'],
    sin_catalogo: [404, 'El transportista no ofrece el catalogo de codigos postales'],
  },
  elsewhere: {
    colonia_desconocida: 'test/api/guides/colonia-warnings.test.ts',
    codigo_postal_desconocido: 'test/api/branches/postal-codes.test.ts',
  },
};
