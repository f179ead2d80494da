import type { CodesOf } from '#shared/errors/domain-error.ts';
import { MAX_EVENTS, MAX_EVENTS_OF_GUIDE } from '#shared/tracking/event.ts';
import { guideErrors } from '../guides/errors.ts';
import { type ErrorTable, requestErrors, unknownOutcome, wrongParameter, wrongType } from '../http/errors.ts';

/** The errors of events. */
export const trackingErrors = {
  'events-missing': {
    status: 400,
    codigo: 'eventos_array_faltante',
    message: "El JSON no contiene el array 'Eventos'",
    advice: 'Mande `Eventos`, un array, también para un solo evento.',
  },
  'events-empty': {
    status: 400,
    codigo: 'eventos_array_vacio',
    message: "El array 'Eventos' esta vacio",
    advice: 'Mande al menos un evento.',
  },
  'too-many-events': {
    status: 400,
    codigo: 'eventos_array_largo',
    message: `Maximo ${MAX_EVENTS} eventos por solicitud`,
    advice: 'Divida la solicitud en varias.',
  },
  'event-conflict': {
    status: 409,
    codigo: 'evento_conflicto',
    message: 'Ya hay un evento de la guia con este Id y otro contenido',
    advice:
      'Dé otro `Id` al evento. Si el primero fue un error, anúlelo con `Anulacion` y mande el correcto con otro `Id`.',
  },
  /** Of its own, so that who collects money is told that the amount is not corrected by this. */
  'event-different': {
    status: 409,
    codigo: 'evento_distinto',
    message: 'Ya hay un evento de la guia con este Id y otro Cobrado',
    advice:
      'El importe no cambió. Si el primero fue un error, anúlelo con `Anulacion` y mande el correcto con otro `Id`.',
  },
  'guide-events-full': {
    status: 409,
    codigo: 'eventos_excedidos',
    message: `La guia ya tiene ${MAX_EVENTS_OF_GUIDE} eventos`,
    advice: 'Revise el escáner: ninguna guía necesita tantos eventos.',
  },
  'event-invalid': { ...wrongType, message: "Cada elemento de 'Eventos' debe ser un objeto" },
  /** Repeating is safe: a registered event is answered as `repetido`. */
  'events-unknown': {
    ...unknownOutcome,
    message: 'No se sabe si todo se registro; repita la misma solicitud',
    headers: { 'Retry-After': '2' },
  },
  'guide-is-test': {
    status: 409,
    codigo: 'guia_de_prueba',
    message: 'La guia es de una cuenta de prueba: no se envia ni se escanea',
    advice:
      'Aparte el paquete: su etiqueta es de prueba. Los eventos de prueba se hacen con `POST /api/guias/{guia}/simular`.',
  },
  'cursor-beyond-end': {
    ...wrongParameter,
    message:
      "El parametro 'cursor' pasa del ultimo evento; siga desde un 'siguiente' anterior, o empiece sin cursor",
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof trackingErrors> {}
}

/** The errors with which an event may be refused. */
export const verdictErrors: ErrorTable = { ...requestErrors, ...guideErrors, ...trackingErrors };
