import { expect } from 'vitest';
import { type Conformance, get, no, post, type Row, required, text } from '#test/fixtures/conformance.ts';

export const conformance: Conformance = {
  sections: {
    Webhooks: [
      [
        'one is registered, and its secret shown',
        post('/api/webhooks', { Url: 'http://127.0.0.1:9/', Descripcion: 'Uno' }, 'otro'),
        {
          message: 'Webhook registrado',
          data: {
            ...{
              Id: text,
              Url: 'http://127.0.0.1:9/',
              Descripcion: 'Uno',
              Activo: true,
              Tipos: [],
              Temas: ['eventos'],
            },
            Secreto: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
          },
        },
      ],
      ['those of the account, without secrets', get('/api/webhooks'), { message: 'Webhooks: 0', data: [] }],
      ['without an address', post('/api/webhooks', {}), required('Url')],
      ['by a user without webhooks.admin', get('/api/webhooks', 'lectura'), no('sin_permiso')],
      ["none of the account's: read", get('/api/webhooks/nada'), no('webhook_no_encontrado')],
      [
        "none of the account's: change",
        ({ users }) => users.demo.patch('/api/webhooks/nada', { Activo: false }),
        no('webhook_no_encontrado'),
      ],
      ...['probar', 'secreto', 'activar'].map((path): Row => {
        return [
          `none of the account's: ${path}`,
          post(`/api/webhooks/nada/${path}`, {}),
          no('webhook_no_encontrado'),
        ];
      }),
    ],
  },
  refusals: {
    webhook_no_encontrado: [404, 'Webhook no encontrado'],
  },
  elsewhere: {
    nada_que_saltar: 'test/api/webhooks/webhooks.test.ts',
    webhooks_excedidos: 'test/api/webhooks/webhooks.test.ts',
  },
};
