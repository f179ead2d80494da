import { type Static, Type } from 'typebox';
import { GUIDE_STATUSES } from '#shared/guides/event-types.ts';
import {
  CANCELLATION_REASONS,
  FAILURE_REASONS,
  NO_NEWS,
  PICKUP_REASONS,
  PICKUP_STATES,
  PickupAddress,
} from '#shared/pickups/pickup.ts';
import { answeredSection } from '../http/schemas.ts';
import { RequestedWindow } from './pickup-request.ts';

/** Pick-ups as answers show them (docs/contract.md "Pick-ups"), with examples. */

const number = Type.String({
  description: 'Número de la recolección: R y once dígitos',
  examples: ['R48291365074'],
});
const status = Type.Enum([...PICKUP_STATES], { type: 'string', description: 'Qué ha pasado' });
const reason = Type.Enum([...PICKUP_REASONS], {
  type: 'string',
  description: `De Fallida: ${FAILURE_REASONS.join(', ')}, o ${NO_NEWS}, que pone el servicio. De Cancelada: ${CANCELLATION_REASONS.join(', ')}`,
});
const moment = (description: string) => Type.String({ description, examples: ['2026-12-01T15:00:00.000Z'] });
const deadline = Type.String({
  description: 'Hasta cuándo se pide y se cancela, con la zona de la sucursal (RFC 3339)',
  examples: ['2026-12-01T08:00:00-06:00'],
});

const { Fecha, Desde, Hasta } = RequestedWindow.properties;
const Window = Type.Object(
  { Fecha, Desde, Hasta },
  { title: 'VentanaDeRecoleccion', description: 'Día y horas de la sucursal' },
);
const OfferedWindow = Type.Object(
  { Fecha, Desde, Hasta, SolicitarAntesDe: deadline },
  { title: 'VentanaDisponible', description: 'Una ventana que se puede pedir' },
);

export const Availability = Type.Object(
  {
    CodigoPostal: Type.String({ examples: ['64000'] }),
    Sucursal: Type.String({ description: 'La que recoge ahí', examples: ['MTY01'] }),
    Zona: Type.String({
      description: 'Zona horaria de la sucursal (IANA)',
      examples: ['America/Mexico_City'],
    }),
    Ventanas: Type.Array(OfferedWindow, { description: 'Las próximas diez con lugar; vacío si no hay' }),
    Motivo: Type.Optional(
      Type.Enum(['sin_recolecciones', 'sin_dias', 'sin_cupo'], {
        type: 'string',
        description:
          'Por qué no hay: la sucursal no recoge, no recoge en los próximos 30 días, o todas están llenas',
      }),
    ),
  },
  { title: 'Disponibilidad', description: 'Cuándo se recoge en un código postal' },
);

const head = {
  Recoleccion: number,
  Fecha: Type.String({
    description: 'Cuándo se pidió, fecha y hora local, ISO 8601 sin zona',
    examples: ['2026-11-30T18:05:10'],
  }),
  Sucursal: Type.String({ description: 'La que recoge', examples: ['MTY01'] }),
  Ventana: Window,
  SolicitarAntesDe: deadline,
  Estado: status,
  Motivo: Type.Optional(reason),
  Paquetes: Type.Integer({ description: 'Cuántos paquetes se pidió recoger', examples: [12] }),
  Peso: Type.Optional(
    Type.Number({ description: 'Cuánto pesan, en kg; falta si no se dijo', examples: [48.5] }),
  ),
  Manifiesto: Type.Optional(Type.String({ description: 'El que se recoge', examples: ['M48291365074'] })),
  Version: Type.Integer({
    description: 'Crece con cada cambio: de dos respuestas vale la de la mayor',
    examples: [2],
  }),
  Prueba: Type.Optional(Type.Literal(true, { description: 'Si es de una cuenta de prueba' })),
};
export const PickupSummary = Type.Object(head, {
  title: 'Recoleccion',
  description: 'Una recolección, como sale en la lista',
});

const HistoryEntry = Type.Object(
  {
    Estado: status,
    Motivo: Type.Optional(reason),
    Ocurrido: moment('Cuándo pasó, en UTC'),
    Registrado: moment('Cuándo lo supo el servicio, en UTC'),
  },
  { title: 'CambioDeRecoleccion', description: 'Un cambio de estado' },
);
const PickupGuide = Type.Object(
  {
    SEND_GUIA: Type.String({ description: 'Número de guía', examples: ['390458235877'] }),
    SEND_ESTATUS: Type.Optional(
      Type.Enum([...GUIDE_STATUSES], {
        type: 'string',
        description: 'El de ahora, también Cancelado; no viene al pedir la recolección',
      }),
    ),
  },
  { title: 'GuiaDeRecoleccion', description: 'Una guía de una recolección' },
);
/** Retention removes the street too. */
const AnsweredAddress = Type.Object(
  { ...PickupAddress.properties, Calle: Type.Optional(PickupAddress.properties.Calle) },
  { description: 'Dónde se recoge y por quién se pregunta' },
);
const details = {
  ...head,
  Direccion: answeredSection('DireccionDeRecoleccion', AnsweredAddress),
  Notas: Type.Optional(Type.String({ description: 'Lo que el chofer debe saber' })),
  Historial: Type.Array(HistoryEntry, { description: 'Qué ha pasado, lo más viejo primero' }),
};
export const CompletePickup = Type.Object(
  {
    ...details,
    Detalle: Type.Array(PickupGuide, {
      description:
        'Las guías que se nombraron, o las del manifiesto que esperaban; vacío si no se nombró ninguna',
    }),
  },
  { title: 'RecoleccionCompleta', description: 'Una recolección con todo lo suyo' },
);
export const BranchPickup = Type.Object(
  { Cuenta: Type.String({ description: 'De quién es', examples: ['tienda'] }), ...details },
  { title: 'RecoleccionDeSucursal', description: 'Una recolección, como la ve quien recoge' },
);

export const StateResult = Type.Object(
  {
    indice: Type.Integer({ description: 'Posición en la solicitud, desde 0' }),
    Recoleccion: Type.Optional(number),
    resultado: Type.Enum(['registrado', 'repetido', 'rechazado'], {
      type: 'string',
      description: 'repetido: ya estaba en ese estado',
    }),
    campo: Type.Optional(Type.String({ description: 'El campo por el que se rechaza' })),
    codigo: Type.Optional(Type.String({ description: 'Por qué se rechaza, para programas' })),
    message: Type.Optional(Type.String({ description: 'Por qué se rechaza' })),
  },
  { title: 'ResultadoDeEstado', description: 'Qué fue de un estado' },
);

export const WINDOW_EXAMPLE = { Fecha: '2026-12-01', Desde: '09:00', Hasta: '13:00' };
export const ADDRESS_EXAMPLE: PickupAddress = {
  Nombre: 'Ana López',
  Celular: '8112345678',
  CodigoPostal: '64000',
  Estado: 'Nuevo León',
  Municipio: 'Monterrey',
  Colonia: 'Centro',
  Calle: 'Av. Juárez',
  Numero_exterior: '120',
};
export const PICKUP_EXAMPLE: Static<typeof PickupSummary> = {
  Recoleccion: 'R48291365074',
  Fecha: '2026-11-30T18:05:10',
  Sucursal: 'MTY01',
  Ventana: WINDOW_EXAMPLE,
  SolicitarAntesDe: '2026-12-01T08:00:00-06:00',
  Estado: 'Solicitada',
  Paquetes: 12,
  Peso: 48.5,
  Version: 1,
};
export const COMPLETE_EXAMPLE: Static<typeof CompletePickup> = {
  ...PICKUP_EXAMPLE,
  Direccion: ADDRESS_EXAMPLE,
  Notas: 'Preguntar en la recepción',
  Historial: [
    {
      Estado: 'Solicitada',
      Ocurrido: '2026-12-01T00:05:10.000Z',
      Registrado: '2026-12-01T00:05:10.000Z',
    },
  ],
  Detalle: [{ SEND_GUIA: '390458235877' }, { SEND_GUIA: '482913650724' }],
};
