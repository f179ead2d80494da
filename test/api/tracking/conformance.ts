import { expect } from 'vitest';
import {
  type Conformance,
  cancel,
  get,
  no,
  noObject,
  parameter,
  post,
  withGuide,
} from '#test/fixtures/conformance.ts';

export const conformance: Conformance = {
  sections: {
    Events: [
      [
        'events of guides of any account, each with its own result',
        withGuide(({ escaner }, Guia) => {
          const told = { Guia, Tipo: 'EnReparto', Ocurrido: new Date().toISOString(), Id: 'uno' };
          const Eventos = [told, told, { ...told, Tipo: 'Perdido', Id: 'dos' }];
          return escaner.post('/api/eventos', { Eventos });
        }),
        {
          message: 'Eventos registrados: 1',
          data: [
            { indice: 0, Id: 'uno', resultado: 'registrado' },
            { indice: 1, Id: 'uno', resultado: 'repetido' },
            expect.objectContaining({
              indice: 2,
              resultado: 'rechazado',
              campo: 'Tipo',
              codigo: 'campo_formato',
            }),
          ],
        },
      ],
      [
        'a guide with events is not cancelled',
        withGuide(async ({ escaner, otro }, Guia) => {
          const told = { Guia, Tipo: 'Recolectado', Ocurrido: new Date().toISOString() };
          await escaner.post('/api/eventos', { Eventos: [told] });
          return cancel(otro, Guia);
        }),
        no('guia_en_camino'),
      ],
      ['the events of a guide', get('/api/guias/{guia}/eventos'), { message: 'Eventos: 0', data: [] }],
      ['the feed', get('/api/eventos', 'lectura'), { message: 'Eventos: 0', data: [] }],
      ['a cursor that is none of ours', get('/api/eventos?cursor=x'), parameter('cursor')],
      ['without the array', post('/api/eventos', {}, 'escaner'), no('eventos_array_faltante')],
      ['an empty array', post('/api/eventos', { Eventos: [] }, 'escaner'), no('eventos_array_vacio')],
      [
        '501 events',
        post('/api/eventos', { Eventos: Array(501).fill({}) }, 'escaner'),
        no('eventos_array_largo'),
      ],
      ['a number for an event', post('/api/eventos', { Eventos: [7] }, 'escaner'), noObject('Eventos')],
    ],
  },
  refusals: {
    eventos_array_faltante: [400, "El JSON no contiene el array 'Eventos'"],
    eventos_array_vacio: [400, "El array 'Eventos' esta vacio"],
    eventos_array_largo: [400, 'Maximo 500 eventos por solicitud'],
    guia_de_prueba: [409, 'La guia es de una cuenta de prueba: no se envia ni se escanea'],
  },
  elsewhere: {
    evento_conflicto: 'test/api/tracking/register-events.test.ts',
    eventos_excedidos: 'test/api/tracking/register-events.test.ts',
  },
};
