import type { LoginCode } from '#shared/auth/login-refusal.ts';
import { MAX_GUIDES, SERVICE_TYPES } from '#shared/contracts/guide.ts';
import { MAX_PACKAGES } from '#shared/contracts/label-job.ts';
import type { CodesOf } from '#shared/errors.ts';
import {
  commonHttpErrors,
  type HttpError,
  type HttpErrors,
  retryAfter,
} from '#shared/http/errors/http-errors.ts';
import { MAX_KEY_LENGTH } from './guides/idempotency-key.ts';

/** More than a user, an account or an address may ask for. `params.seconds` says when to come back. */
const quotaExceeded = { status: 429, codigo: 'cuota_excedida', headers: retryAfter };

/** The messages to the letter, each with its status (docs/contract.md "Messages and statuses"). */
export const apiErrors = {
  'credentials-missing': { status: 400, message: 'Se requieren los headers X-Username y X-Password' },
  'credentials-wrong': { status: 401, message: 'Usuario o contrasena incorrectos' },
  'too-many-logins': {
    status: 429,
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
    message: 'Token expirado',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  },
  forbidden: { status: 403, message: 'No tiene permiso para realizar esta accion' },
  'guia-array-missing': { status: 400, message: "El JSON no contiene el array 'Guia'" },
  'guia-array-empty': { status: 400, message: "El array 'Guia' esta vacio" },
  'too-many-guides': { status: 400, message: `Maximo ${MAX_GUIDES} guias por solicitud` },
  'service-type-missing': { status: 400, message: "El campo 'TipoServicio' es requerido" },
  'service-type-unknown': { status: 400, message: `TipoServicio solo acepta: ${SERVICE_TYPES.join(', ')}` },
  'guides-invalid': { status: 400, message: (_, [first]) => first?.message ?? '' },
  'guide-invalid': { status: 400, message: ({ rule }) => `Cada elemento de 'Guia' ${rule}` },
  'field-required': { status: 400, message: ({ campo }) => `El campo '${campo}' es requerido` },
  'field-unknown': { status: 400, message: ({ campo }) => `Campo desconocido: '${campo}'` },
  'destination-missing': { status: 400, message: 'Se requiere DestinoCode o CodigoPostal' },
  'origin-unassigned': { status: 400, message: 'Usuario API no tiene sucursal de origen asignada' },
  'origin-inactive': { status: 400, message: 'La sucursal de origen no existe o no esta activa' },
  'destination-invalid': { status: 404, message: 'DestinoCode no corresponde a sucursal valida' },
  'postal-code-uncovered': {
    status: 404,
    message: ({ postalCode }) => `No hay cobertura para el código postal: ${postalCode}`,
  },
  'idempotency-key-invalid': {
    status: 400,
    message: `Idempotency-Key debe tener de 1 a ${MAX_KEY_LENGTH} caracteres visibles`,
  },
  'idempotency-key-reused': { status: 409, message: 'Idempotency-Key ya usada con otro contenido' },
  'guide-not-found': { status: 404, message: 'Guia no encontrada' },
  'packages-invalid': { status: 400, message: `paquetes debe ser un numero entero de 1 a ${MAX_PACKAGES}` },
  overloaded: {
    expectedUnderLoad: true,
    status: commonHttpErrors.unavailable.status,
    message: commonHttpErrors.unavailable.message,
    headers: retryAfter,
  },
  /** Nobody gets this answer, and it is counted as no failure. */
  'client-gone': { expectedUnderLoad: true, status: 499, message: 'El cliente cerro la conexion' },
  'label-failed': { status: 500, message: 'Error al generar la etiqueta' },
} as const satisfies HttpErrors & Record<LoginCode, HttpError>;

/** The API's refusals together with those of every HTTP service. */
export const httpErrors = { ...commonHttpErrors, ...apiErrors };
export type ApiErrorCode = keyof typeof httpErrors;

declare module '#shared/errors.ts' {
  interface ErrorCodes extends CodesOf<typeof apiErrors> {}
}
