import { expect } from 'vitest';
import { type Conformance, get, no, type Row, required } from '#test/fixtures/conformance.ts';

const choose =
  (body: object, user: 'demo' | 'lectura' = 'demo'): Row[1] =>
  ({ users }) =>
    users[user].post('/api/avisos', body, {}, 'PUT');

export const conformance: Conformance = {
  sections: {
    Notices: [
      [
        'nobody is told until the account says that it may',
        get('/api/avisos'),
        {
          message: 'Avisos apagados',
          data: { Disponible: false, Activo: false, Estatus: [], PuestoPor: null, Puesto: null },
        },
      ],
      ['without a mail server', choose({ Activo: true }), no('avisos_no_disponibles')],
      [
        'they may be switched off in any case',
        choose({ Activo: false, Estatus: ['Entregado'] }),
        {
          message: 'Avisos apagados',
          data: {
            ...{ Disponible: false, Activo: false, Estatus: ['Entregado'] },
            ...{ PuestoPor: 'demo', Puesto: expect.any(String) },
          },
        },
      ],
      ['without saying whether', choose({ Estatus: ['Entregado'] }), required('Activo')],
      [
        'of a state that is not told',
        choose({ Activo: true, Estatus: ['EnTransito'] }),
        { codigo: 'campo_formato', campo: 'Estatus.0' },
      ],
      ['by a user without avisos.admin', get('/api/avisos', 'lectura'), no('sin_permiso')],
      [
        'of a guide of which nobody was told',
        ({ users, number }) => users.demo.get(`/api/guias/${number}/avisos`),
        { message: 'Avisos: 0', data: [] },
      ],
    ],
  },
  refusals: {
    avisos_no_disponibles: [
      409,
      'Este servicio no manda avisos: su paqueteria no ha dado de alta un servidor de correo',
    ],
    enlace_no_valido: [404, 'El enlace no es valido'],
  },
  elsewhere: { enlace_no_valido: 'test/api/notices/refusals.test.ts' },
};
