import { Type } from 'typebox';
import { EVENT_TYPE_NAMES } from '#shared/guides/event-types.ts';
import { Event, MAX_EVENTS } from '#shared/tracking/event.ts';
import { describeSection } from '../http/schemas.ts';
import { SCENARIO_NAMES } from './scenarios.ts';

const { Guia: _, Ocurrido: __, ...simulated } = Event.properties;
/** Documents the body of `simularEventos`; `simulateEvents` validates it. */
export const SimulationRequest = Type.Object(
  {
    Escenario: Type.Optional(
      Type.Enum(SCENARIO_NAMES, {
        type: 'string',
        description: 'Lo que pasa con la guía; en su lugar, `Eventos`',
      }),
    ),
    Hasta: Type.Optional(
      Type.Enum(EVENT_TYPE_NAMES, {
        type: 'string',
        description: 'El último evento del escenario; todos si falta',
      }),
    ),
    Eventos: Type.Optional(
      Type.Array(
        describeSection('EventoSimulado', {
          ...Type.Object(simulated),
          description: 'Un evento de la guía; `Ocurrido` lo pone la simulación',
        }),
        { minItems: 1, maxItems: MAX_EVENTS },
      ),
    ),
  },
  {
    title: 'Simulacion',
    additionalProperties: false,
    'x-examples': {
      escenario: { summary: 'Nadie recibe, y al final se entrega', value: { Escenario: 'ausente' } },
      parte: { summary: 'Hasta un evento', value: { Escenario: 'entrega', Hasta: 'EnReparto' } },
      propios: { summary: 'Eventos propios', value: { Eventos: [{ Tipo: 'Incidencia', Motivo: 'danado' }] } },
    },
  },
);
