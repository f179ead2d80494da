import { expect } from 'vitest';
import { minimalGuide } from '#test/fixtures/client.ts';
import { type Conformance, get, no } from '#test/fixtures/conformance.ts';

export const conformance: Conformance = {
  sections: {
    'Test accounts': [
      [
        'the token says so',
        get('/api/auth/validate', 'prueba'),
        { data: expect.objectContaining({ cuenta: 'pruebas', prueba: true }) },
      ],
      [
        'a scenario is played',
        async ({ users }) => {
          const [guide] = await users.prueba.created(minimalGuide());
          return users.prueba.post(`/api/guias/${guide?.SEND_GUIA}/simular`, { Escenario: 'extravio' });
        },
        { message: 'Eventos: 3' },
      ],
      [
        'another account plays none',
        ({ users, number }) => users.demo.post(`/api/guias/${number}/simular`, { Escenario: 'entrega' }),
        no('solo_pruebas'),
      ],
      [
        'no scanner takes its guides',
        async ({ users }) => {
          const [guide] = await users.prueba.created(minimalGuide());
          return users.escaner.post('/api/eventos', {
            Eventos: [{ Guia: guide?.SEND_GUIA, Tipo: 'Recolectado', Ocurrido: new Date().toISOString() }],
          });
        },
        { data: [expect.objectContaining({ resultado: 'rechazado', codigo: 'guia_de_prueba' })] },
      ],
    ],
  },
  refusals: {
    solo_pruebas: [403, 'Solo las cuentas de prueba simulan eventos'],
  },
};
