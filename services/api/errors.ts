import type { LoginCode } from '#shared/auth/login.ts';
import { MAX_EVENTS, MAX_EVENTS_OF_GUIDE } from '#shared/contracts/event.ts';
import { MAX_GUIDES, MAX_PACKAGES, SERVICE_TYPES } from '#shared/contracts/guide.ts';
import { MEDIA_TYPES } from '#shared/contracts/label-job.ts';
import { MAX_FILE_PAGES } from '#shared/contracts/label-kinds.ts';
import type { CodesOf } from '#shared/errors/domain-error.ts';
import { commonHttpErrors, type HttpError, type HttpErrors, retryAfter } from '#shared/http/http-errors.ts';
import { MAX_WEBHOOKS } from '#shared/stores/webhook-store.ts';
import { MAX_KEY_LENGTH } from './guides/creation-journal.ts';

/** More than a user, an account or an address may ask for. `params.seconds` says when to come back. */
const quotaExceeded = { status: 429, codigo: 'cuota_excedida', headers: retryAfter } as const;

/** A 401 must have a challenge (RFC 9110, 11.6.1). No scheme is registered for a login by headers, so this is our own. */
const LOGIN_CHALLENGE = 'Login headers="X-Username X-Password"';

/** The types of JSON, as a message asks for them and as it says what was sent. */
const EXPECTED_TYPES: Readonly<Record<string, string>> = {
  string: 'texto (string)',
  number: 'un numero (number)',
  integer: 'un numero entero (integer)',
  object: 'un objeto (object)',
};
const GIVEN_TYPES: Readonly<Record<string, string>> = {
  string: 'un texto',
  number: 'un numero',
  boolean: 'un booleano',
  array: 'un arreglo',
  object: 'un objeto',
};

/** The messages to the letter, each with its status (docs/contract.md "Messages and statuses"). */
export const apiErrors = {
  'credentials-missing': {
    status: 400,
    codigo: 'login_headers_faltan',
    message: 'Se requieren los headers X-Username y X-Password',
  },
  'credentials-wrong': {
    status: 401,
    codigo: 'credenciales_incorrectas',
    message: 'Usuario o contrasena incorrectos',
    headers: { 'WWW-Authenticate': LOGIN_CHALLENGE },
  },
  'too-many-logins': {
    status: 429,
    codigo: 'demasiados_intentos',
    message: 'Demasiados intentos, intente mas tarde',
    headers: retryAfter,
  },
  'too-many-requests': {
    ...quotaExceeded,
    message: 'Demasiadas solicitudes, intente mas tarde',
  },
  'too-many-guides-today': {
    ...quotaExceeded,
    message: 'Cuota diaria de guias excedida, intente mas tarde',
  },
  'too-many-pages': {
    ...quotaExceeded,
    message: 'Demasiadas etiquetas a la vez, intente mas tarde',
  },
  'token-expired': {
    status: 401,
    codigo: 'token_expirado',
    message: 'Token expirado',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  },
  forbidden: { status: 403, codigo: 'sin_permiso', message: 'No tiene permiso para realizar esta accion' },
  'guia-array-missing': {
    status: 400,
    codigo: 'guia_array_faltante',
    message: "El JSON no contiene el array 'Guia'",
  },
  'guia-array-empty': { status: 400, codigo: 'guia_array_vacio', message: "El array 'Guia' esta vacio" },
  'too-many-guides': {
    status: 400,
    codigo: 'guia_array_largo',
    message: `Maximo ${MAX_GUIDES} guias por solicitud`,
  },
  'numbers-missing': {
    status: 400,
    codigo: 'guia_array_faltante',
    message: "El JSON no contiene el array 'Guias'",
  },
  'numbers-empty': { status: 400, codigo: 'guia_array_vacio', message: "El array 'Guias' esta vacio" },
  'events-missing': {
    status: 400,
    codigo: 'eventos_array_faltante',
    message: "El JSON no contiene el array 'Eventos'",
  },
  'events-empty': { status: 400, codigo: 'eventos_array_vacio', message: "El array 'Eventos' esta vacio" },
  'too-many-events': {
    status: 400,
    codigo: 'eventos_array_largo',
    message: `Maximo ${MAX_EVENTS} eventos por solicitud`,
  },
  'event-invalid': {
    status: 400,
    codigo: 'campo_tipo',
    message: "Cada elemento de 'Eventos' debe ser un objeto",
  },
  'event-conflict': {
    status: 409,
    codigo: 'evento_conflicto',
    message: 'Ya hay un evento de la guia con este Id y otro contenido',
  },
  'guide-events-full': {
    status: 409,
    codigo: 'eventos_excedidos',
    message: `La guia ya tiene ${MAX_EVENTS_OF_GUIDE} eventos`,
  },
  /** Repeating does no harm: what is registered already is `repetido`. */
  'events-unknown': {
    status: 503,
    codigo: 'resultado_desconocido',
    message: 'No se sabe si todo se registro; repita la misma solicitud',
    headers: { 'Retry-After': '2' },
  },
  'too-many-file-pages': {
    status: 400,
    codigo: 'paginas_excedidas',
    message: ({ pages = MAX_FILE_PAGES + 1 }) =>
      `Maximo ${MAX_FILE_PAGES} paginas por solicitud; estas guias tienen ${pages}`,
  },
  'service-type-missing': {
    status: 400,
    codigo: 'tipo_servicio_requerido',
    message: "El campo 'TipoServicio' es requerido",
  },
  'service-type-unknown': {
    status: 400,
    codigo: 'tipo_servicio_invalido',
    message: `TipoServicio solo acepta: ${SERVICE_TYPES.join(', ')}`,
  },
  /** It says the first problem, with its code. */
  'guides-invalid': {
    status: 400,
    codigo: ([first]) => first?.codigo ?? '',
    message: (_, [first]) => first?.message ?? '',
  },
  'guide-invalid': {
    status: 400,
    codigo: 'campo_tipo',
    message: ({ rule }) => `Cada elemento de 'Guia' ${rule}`,
  },
  'field-required': {
    status: 400,
    codigo: 'campo_requerido',
    message: ({ campo }) => `El campo '${campo}' es requerido`,
  },
  'field-type': {
    status: 400,
    codigo: 'campo_tipo',
    message: ({ campo, expected = '', given = '' }) =>
      `El campo '${campo}' debe ser ${EXPECTED_TYPES[expected] ?? expected}, no ${GIVEN_TYPES[given] ?? given}`,
  },
  'field-too-long': {
    status: 400,
    codigo: 'campo_largo',
    message: ({ campo, limit }) => `El campo '${campo}' admite hasta ${limit} caracteres`,
  },
  'field-unknown': {
    status: 400,
    codigo: 'campo_desconocido',
    message: ({ campo, meant }) =>
      `Campo desconocido: '${campo}'${meant === undefined ? '' : `; ¿quiso decir '${meant}'?`}`,
  },
  /** A warning: nothing is refused for it. */
  'text-unprintable': {
    status: 200,
    codigo: 'caracteres_no_imprimibles',
    message: ({ campo, characters }) => `El campo '${campo}' se imprime con • en vez de: ${characters}`,
  },
  'destination-missing': {
    status: 400,
    codigo: 'destino_requerido',
    message: 'Se requiere DestinoCode o CodigoPostal',
  },
  'origin-unassigned': {
    status: 400,
    codigo: 'origen_no_asignado',
    message: 'Usuario API no tiene sucursal de origen asignada',
  },
  'origin-inactive': {
    status: 400,
    codigo: 'origen_invalido',
    message: 'La sucursal de origen no existe o no esta activa',
  },
  'destination-invalid': {
    status: 404,
    codigo: 'destino_invalido',
    message: 'DestinoCode no corresponde a sucursal valida',
  },
  'postal-code-uncovered': {
    status: 404,
    codigo: 'sin_cobertura',
    message: ({ postalCode }) => `No hay cobertura para el código postal: ${postalCode}`,
  },
  'idempotency-key-invalid': {
    status: 400,
    codigo: 'idempotencia_invalida',
    message: `Idempotency-Key debe tener de 1 a ${MAX_KEY_LENGTH} caracteres visibles`,
  },
  'idempotency-key-reused': {
    status: 409,
    codigo: 'idempotencia_conflicto',
    message: 'Idempotency-Key ya usada con otro contenido',
  },
  /** No `Retry-After`: who repeats the request without a key may create its guides twice. */
  'result-unknown': {
    status: 503,
    codigo: 'resultado_desconocido',
    message: 'No se sabe si las guias se crearon; consulte sus guias antes de repetir',
  },
  'guide-not-found': { status: 404, codigo: 'guia_no_encontrada', message: 'Guia no encontrada' },
  'guide-cancelled': { status: 409, codigo: 'guia_cancelada', message: 'La guia esta cancelada' },
  'guide-on-its-way': {
    status: 409,
    codigo: 'guia_en_camino',
    message: 'La guia ya tiene eventos y no se puede cancelar',
  },
  'webhook-not-found': { status: 404, codigo: 'webhook_no_encontrado', message: 'Webhook no encontrado' },
  'too-many-webhooks': {
    status: 409,
    codigo: 'webhooks_excedidos',
    message: `Maximo ${MAX_WEBHOOKS} webhooks por cuenta`,
  },
  'packages-invalid': {
    status: 400,
    codigo: 'parametro_invalido',
    message: ({ campo, limit = MAX_PACKAGES }) => `${campo} debe ser un numero entero de 1 a ${limit}`,
  },
  'cursor-beyond-end': {
    status: 400,
    codigo: 'parametro_invalido',
    message:
      "El parametro 'cursor' pasa del ultimo evento; siga desde un 'siguiente' anterior, o empiece sin cursor",
  },
  'one-page-only': {
    status: 400,
    codigo: 'parametro_invalido',
    message: ({ limit = MAX_PACKAGES }) => `Un PNG tiene una sola pagina; indique paquete, de 1 a ${limit}`,
  },
  'one-page-file': {
    status: 400,
    codigo: 'parametro_invalido',
    message: ({ pages = 2 }) =>
      `Un PNG tiene una sola pagina y estas etiquetas tienen ${pages}; pida formato=pdf o formato=zpl`,
  },
  'format-not-acceptable': {
    status: 406,
    codigo: 'formato_no_aceptable',
    message: `Formatos disponibles: ${Object.values(MEDIA_TYPES).join(', ')}`,
    headers: { Vary: 'Accept' },
  },
  overloaded: {
    expectedUnderLoad: true,
    status: commonHttpErrors.unavailable.status,
    codigo: 'saturado',
    message: commonHttpErrors.unavailable.message,
    headers: retryAfter,
  },
  /** No label worker is alive, or none gets anything done; the log says so once. */
  'no-printer': { ...commonHttpErrors.unavailable, expectedUnderLoad: true },
  /** Nobody gets this answer, and it is counted as no failure. */
  'client-gone': {
    expectedUnderLoad: true,
    status: 499,
    codigo: 'cliente_ausente',
    message: 'El cliente cerro la conexion',
  },
  'label-failed': { status: 500, codigo: 'etiqueta_fallida', message: 'Error al generar la etiqueta' },
  /** The same request may succeed: the label may be printed soon. */
  'label-late': {
    status: 500,
    codigo: 'etiqueta_tardia',
    message: 'Error al generar la etiqueta',
    headers: { 'Retry-After': '2' },
  },
} as const satisfies HttpErrors & Record<LoginCode, HttpError>;

export const httpErrors = { ...commonHttpErrors, ...apiErrors };
export type ApiErrorCode = keyof typeof httpErrors;

/** What may be wrong with a guide: the codes that the first of several problems gives to the whole answer. */
const GUIDE_PROBLEMS = [
  'field-required',
  'field-type',
  'field-invalid',
  'field-too-long',
  'field-unknown',
  'guide-invalid',
  'destination-missing',
  'destination-invalid',
  'postal-code-uncovered',
] as const satisfies ApiErrorCode[];

/** Returns the codes that an answer with this refusal may have, which are those of the problems of `guides-invalid`. */
export function codigosOf(code: ApiErrorCode): string[] {
  const { codigo }: HttpError = httpErrors[code];
  return typeof codigo === 'string' ? [codigo] : [...new Set(GUIDE_PROBLEMS.flatMap(codigosOf))];
}

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof apiErrors> {}
}
