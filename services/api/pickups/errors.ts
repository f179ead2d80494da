import type { CodesOf } from '#shared/errors/domain-error.ts';
import { MAX_GUIDES } from '#shared/guides/guide.ts';
import { MAX_OPEN } from '#shared/pickups/pickup.ts';
import { type ErrorTable, firstProblem, requestErrors, unknownOutcome } from '../http/errors.ts';

/** The errors of pick-ups. */
export const pickupErrors = {
  'pickup-unknown': {
    ...unknownOutcome,
    message: 'No se sabe si la recoleccion se pidio; consulte sus recolecciones antes de repetir',
  },
  'pickup-not-found': {
    status: 404,
    codigo: 'recoleccion_no_encontrada',
    message: 'Recoleccion no encontrada',
    advice: 'Revise el número: es R y once dígitos. Solo se ven las recolecciones de su cuenta.',
    example: 'Recoleccion',
  },
  'pickup-is-test': {
    status: 409,
    codigo: 'recoleccion_de_prueba',
    message: 'La recoleccion es de una cuenta de prueba',
    advice: 'Nadie pasa por ella: su estado lo cambia `simular`.',
    example: 'Recoleccion',
  },
  'window-unknown': {
    status: 409,
    codigo: 'ventana_no_disponible',
    message: 'La sucursal no recoge en esa ventana',
    advice:
      'Elija una ventana de `GET /api/recolecciones/disponibles`, con su `Fecha`, `Desde` y `Hasta` tal cual.',
    example: 'Ventana',
  },
  'window-closed': {
    status: 409,
    codigo: 'ventana_cerrada',
    message: ({ closesAt }) => `La ventana se pedia hasta ${closesAt}`,
    advice: 'Elija una ventana posterior. `GET /api/recolecciones/disponibles` las da.',
    exampleParams: { closesAt: '2026-12-01T12:00:00-06:00' },
    example: 'Ventana',
  },
  'window-full': {
    status: 409,
    codigo: 'ventana_llena',
    message: 'La ventana ya no tiene cupo',
    advice: 'Elija otra ventana. `GET /api/recolecciones/disponibles` solo da las que tienen lugar.',
    example: 'Ventana',
  },
  'pickup-repeated': {
    status: 409,
    codigo: 'recoleccion_repetida',
    message: ({ pickup }) => `Ese dia ya hay una recoleccion en esa direccion: ${pickup}`,
    advice:
      'Una recolección recoge todo lo de una dirección. Si cambió la ventana, cancele la que el mensaje nombra y pida otra.',
    exampleParams: { pickup: 'R48291365074' },
    example: 'Direccion',
  },
  'too-many-open-pickups': {
    status: 409,
    codigo: 'recolecciones_abiertas_demasiadas',
    message: `La cuenta ya tiene ${MAX_OPEN} recolecciones abiertas`,
    advice: 'Cancele una que ya no necesite, o espere a que termine una, y repita.',
  },
  'pickup-refused': {
    ...firstProblem,
    status: 409,
    problems: ['guide-in-pickup', 'guide-not-waiting', 'guide-of-other-pickup-branch', 'guide-cancelled'],
  },
  'guide-in-pickup': {
    status: 409,
    codigo: 'guia_en_recoleccion',
    message: ({ pickup }) => `La guia ya esta en la recoleccion ${pickup}`,
    advice: 'Quítela de la lista, o cancele antes la recolección que el mensaje nombra.',
    exampleParams: { pickup: 'R48291365074' },
  },
  'manifest-in-pickup': {
    status: 409,
    codigo: 'manifiesto_en_recoleccion',
    message: ({ pickup }) => `El manifiesto, o una de sus guias, ya esta en la recoleccion ${pickup}`,
    advice: 'Cancele antes la recolección que el mensaje nombra, o pida esta sin el manifiesto.',
    exampleParams: { pickup: 'R48291365074' },
    example: 'Manifiesto',
  },
  'guide-not-waiting': {
    status: 409,
    codigo: 'guia_no_espera',
    message: 'La guia ya no espera que la recojan',
    advice: 'Quítela de la lista: el transportista ya la tiene.',
  },
  'guide-of-other-pickup-branch': {
    status: 409,
    codigo: 'guia_de_otra_zona',
    message: ({ branch, other }) =>
      `La guia sale de la sucursal ${branch}, y en esa direccion recoge la sucursal ${other}`,
    advice:
      'Pida la recolección sin esa guía, o cree la guía con un usuario de la sucursal que recoge en la dirección.',
    exampleParams: { branch: 'GDL01', other: 'MEX01' },
  },
  'manifest-of-other-branch': {
    status: 409,
    codigo: 'manifiesto_de_otra_zona',
    message: ({ branch, other }) =>
      `El manifiesto es de la sucursal ${branch}, y en esa direccion recoge la sucursal ${other}`,
    advice: 'Entregue el manifiesto en su sucursal, o pida la recolección en una dirección de su zona.',
    exampleParams: { branch: 'GDL01', other: 'MEX01' },
    example: 'Manifiesto',
  },
  'manifest-not-waiting': {
    status: 409,
    codigo: 'manifiesto_ya_entregado',
    message: 'Ninguna guia del manifiesto espera que la recojan',
    advice: 'El transportista ya tiene sus paquetes, o se cancelaron.',
    example: 'Manifiesto',
  },
  'guide-without-pickup': {
    status: 409,
    codigo: 'guia_sin_recoleccion',
    message: 'La guia no esta en una recoleccion abierta',
    advice: 'Pida antes una recolección que nombre la guía en `Guias`.',
    example: 'guia',
  },
  'pickup-past-cutoff': {
    status: 409,
    codigo: 'recoleccion_despues_del_corte',
    message: ({ closesAt, endsAt }) =>
      `La recoleccion se cancelaba hasta ${closesAt}; si nadie pasa, se cancela desde ${endsAt}`,
    advice:
      'Avise al transportista: mientras dura la ventana solo él la cancela. Cuando termina, y nadie ha dicho qué pasó, repita la cancelación.',
    exampleParams: { closesAt: '2026-12-01T08:00:00-06:00', endsAt: '2026-12-01T17:00:00-06:00' },
  },
  'pickup-ended': {
    status: 409,
    codigo: 'recoleccion_terminada',
    message: ({ status }) => `La recoleccion esta ${status} y ya no cambia`,
    advice: 'Consulte la recolección: su estado dice qué pasó. Si aún hay paquetes, pida otra.',
    exampleParams: { status: 'Recolectada' },
  },
  'states-missing': {
    status: 400,
    codigo: 'estados_array_faltante',
    message: "El JSON no contiene el array 'Estados'",
    advice: 'Mande `Estados`, un array, también para una sola recolección.',
    example: 'Estados',
  },
  'states-empty': {
    status: 400,
    codigo: 'estados_array_vacio',
    message: "El array 'Estados' esta vacio",
    advice: 'Mande al menos un elemento.',
    example: 'Estados',
  },
  'too-many-states': {
    status: 400,
    codigo: 'estados_array_largo',
    message: `Maximo ${MAX_GUIDES} estados por solicitud`,
    advice: 'Divida la solicitud en varias.',
    example: 'Estados',
  },
  'state-invalid': {
    status: 400,
    codigo: 'estado_invalido',
    message: 'El estado debe ser un objeto',
    advice: 'Mande un objeto con `Recoleccion` y `Estado`.',
  },
  'too-many-pickups': {
    status: 400,
    codigo: 'recolecciones_demasiadas',
    message: ({ count, limit }) => `Hay ${count} recolecciones, y un PDF tiene hasta ${limit}`,
    advice: 'Pida el PDF de una ventana con `ventana`, o la lista en CSV.',
    exampleParams: { count: '612', limit: '500' },
  },
} as const satisfies ErrorTable;

const { 'field-required': required, 'field-type': type, 'field-invalid': invalid } = requestErrors;
/** The errors with which a single state of many is refused. */
export const stateErrors: ErrorTable = {
  ...{ 'field-required': required, 'field-type': type, 'field-invalid': invalid },
  'field-unknown': requestErrors['field-unknown'],
  'pickup-not-found': pickupErrors['pickup-not-found'],
  'pickup-is-test': pickupErrors['pickup-is-test'],
  'pickup-ended': pickupErrors['pickup-ended'],
};

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof pickupErrors> {}
}
