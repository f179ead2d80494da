import { expect } from 'vitest';
import { minimalGuide } from '#test/fixtures/client.ts';
import { type Conformance, create, get, no, parameter } from '#test/fixtures/conformance.ts';

const cod = (Monto: unknown, destination?: object) => ({
  ...minimalGuide(destination as Record<string, unknown>),
  Cobro: { Monto },
});

export const conformance: Conformance = {
  sections: {
    'Cash on delivery': [
      [
        'a guide of which money is collected',
        create([cod(450.5)]),
        { message: 'Guias creadas: 1', data: [expect.objectContaining({ SEND_ESTATUS: 'Documentado' })] },
      ],
      [
        'a branch that collects nothing',
        create([cod(1, { CodigoPostal: '44100' })]),
        no('sucursal_no_cobra', { message: 'La sucursal GDL01 no cobra al entregar', campo: 'Cobro' }),
      ],
      [
        'more than the branch collects',
        create([cod(5_000.01)]),
        no('cobro_excedido', { message: 'La sucursal MEX01 cobra hasta 5000.00 MXN', campo: 'Cobro.Monto' }),
      ],
      ['without the permission', create([cod(1)], 'demo2'), no('sin_permiso', { campo: 'Cobro' })],
      [
        'what was collected, of an amount that a scanner changes under one Id',
        async ({ users: { otro, escaner } }) => {
          const [guide] = await otro.created(minimalGuide());
          const told = { Guia: guide?.SEND_GUIA, Tipo: 'Entregado', Ocurrido: new Date().toISOString() };
          const paid = (Monto: number) => ({ ...told, Id: 'uno', Cobrado: { Monto, Medio: 'efectivo' } });
          return escaner.post('/api/eventos', { Eventos: [paid(1), paid(2)] });
        },
        {
          message: 'Eventos registrados: 1',
          data: [
            expect.objectContaining({ resultado: 'registrado' }),
            expect.objectContaining({ resultado: 'rechazado', codigo: 'evento_distinto', campo: 'Cobrado' }),
          ],
        },
      ],
      ['the list of what was collected', get('/api/cobros', 'prueba'), { message: 'Cobros: 0', data: [] }],
      ['a word that the list does not know', get('/api/cobros?diferencia=no'), parameter('diferencia')],
      ['the list of remittances', get('/api/liquidaciones'), { message: 'Liquidaciones: 0', data: [] }],
      ['an unknown remittance', get('/api/liquidaciones/L48291365074'), no('liquidacion_no_encontrada')],
    ],
  },
  refusals: {
    cobro_excedido: [400, 'La sucursal MTY01 cobra hasta 5000.00 MXN', 'Cobro.Monto'],
    sucursal_no_cobra: [400, 'La sucursal GDL01 no cobra al entregar', 'Cobro'],
    liquidacion_no_encontrada: [404, 'Liquidacion no encontrada'],
  },
  elsewhere: {},
};
