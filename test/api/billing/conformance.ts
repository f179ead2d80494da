import { expect } from 'vitest';
import { minimalGuide } from '#test/fixtures/client.ts';
import { type Conformance, get, parameter } from '#test/fixtures/conformance.ts';

export const conformance: Conformance = {
  sections: {
    Usage: [
      [
        'the current month, of the account that asks',
        async ({ users: { prueba } }) => {
          await prueba.created(minimalGuide());
          return prueba.get('/api/uso');
        },
        {
          message: 'Uso encontrado',
          data: expect.objectContaining({ Cuenta: 'pruebas', Provisional: true }),
        },
      ],
      ['a month long ago', get('/api/uso?mes=2020-02'), { message: 'Uso encontrado' }],
      ['a month that has not begun', get('/api/uso?mes=2099-01'), parameter('mes')],
      ['a month of another form', get('/api/uso?mes=2026-13'), parameter('mes')],
      ['as CSV', get('/api/uso/csv'), { headers: { 'content-type': 'text/csv; charset=utf-8' } }],
    ],
  },
  refusals: {},
};
