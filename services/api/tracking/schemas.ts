import { Type } from 'typebox';
import { Adjustment } from '#shared/guides/adjustment.ts';
import { FEED_TYPE_NAMES, GUIDE_STATUSES } from '#shared/guides/event-types.ts';
import { Event, MAX_EVENTS } from '#shared/tracking/event.ts';
import { REASON_NAMES } from '#shared/tracking/reasons.ts';
import { Codigo, describeSection } from '../http/schemas.ts';
import { EVENTS_EXAMPLES } from './examples.ts';

/** Events as requests and answers have them; a `title` is a name in the OpenAPI document. */

export const EventFields = describeSection('Evento', Event);

/**
 * Documents the body of `registrarEventos`. `eventsOf` and `checkEvent` validate it.
 */
export const EventsRequest = Type.Object(
  {
    Eventos: Type.Optional(Type.Array(EventFields, { minItems: 1, maxItems: MAX_EVENTS })),
  },
  {
    title: 'SolicitudDeEventos',
    description: 'Eventos de guías',
    additionalProperties: false,
    'x-examples': EVENTS_EXAMPLES,
  },
);

export const EventResult = Type.Object(
  {
    indice: Type.Integer({ description: 'Posición en la solicitud, desde 0' }),
    Id: Type.Optional(
      Type.String({ description: 'El del evento, o el que se le dio; falta si su forma está mal' }),
    ),
    resultado: Type.Enum(['registrado', 'repetido', 'rechazado'], { type: 'string' }),
    campo: Type.Optional(Type.String({ description: 'De un evento rechazado: el campo' })),
    codigo: Type.Optional(Codigo),
    message: Type.Optional(Type.String()),
  },
  { title: 'ResultadoDeEvento', description: 'Qué fue de un evento' },
);

/** What every answer has of an event. A cancellation stands beside the events. */
const TOLD = {
  Id: Type.String({ description: 'Único entre los eventos de su guía', examples: ['MTY01-000123'] }),
  Tipo: Type.Enum([...FEED_TYPE_NAMES], { type: 'string', examples: ['EnTransito'] }),
  Ocurrido: Type.String({ description: 'Cuándo, en UTC', examples: ['2026-11-21T16:30:00.000Z'] }),
  Registrado: Type.String({
    description: 'Cuándo se registró, en UTC',
    examples: ['2026-11-21T16:30:04.120Z'],
  }),
  Sucursal: Type.Optional(Type.String({ examples: ['MTY01'] })),
  Paquete: Type.Optional(Type.Integer({ description: 'Cuál; todos si falta' })),
  Motivo: Type.Optional(Type.Enum(REASON_NAMES, { type: 'string' })),
  Cobrado: Type.Optional(
    Type.Object(
      { Monto: Type.Number({ examples: [450.5] }), Medio: Type.String({ examples: ['efectivo'] }) },
      { title: 'CobradoDeEvento', description: 'Lo que se cobró al entregar, en MXN' },
    ),
  ),
  Peso: Type.Optional(Type.Number({ description: 'De cada paquete, en kg; de un Pesaje' })),
  Largo: Type.Optional(Type.Number({ description: 'En cm, si se midió' })),
  Alto: Type.Optional(Type.Number({ description: 'En cm' })),
  Ancho: Type.Optional(Type.Number({ description: 'En cm' })),
  Ajuste: Type.Optional(Adjustment),
};

export const GuideEvent = Type.Object(
  {
    ...TOLD,
    Recibe: Type.Optional(Type.String({ description: 'Quién recibió' })),
    Nota: Type.Optional(Type.String({ description: 'Solo con el permiso `eventos.create`' })),
    Anulado: Type.Boolean({ description: 'Si fue un error y no cuenta' }),
  },
  { title: 'EventoDeGuia', description: 'Un evento de una guía, o su cancelación' },
);

export const FeedEvent = Type.Object(
  {
    SEND_GUIA: Type.String({ examples: ['390458235877'] }),
    Referencia: Type.Optional(Type.String({ description: 'La del cliente' })),
    SEND_ESTATUS: Type.Enum([...GUIDE_STATUSES], {
      type: 'string',
      description: 'El de la guía tras el evento',
    }),
    Version: Type.Integer({ description: 'Cuántos eventos tiene la guía con este' }),
    Prueba: Type.Optional(Type.Literal(true, { description: 'Si la guía es de una cuenta de prueba' })),
    ...TOLD,
  },
  { title: 'EventoDeCuenta', description: 'Un evento de una guía de la cuenta, o su cancelación' },
);
