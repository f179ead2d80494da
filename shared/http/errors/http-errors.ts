import type { CodesOf, DomainError, ErrorParams } from '#shared/errors.ts';

/** An entry of `details` (docs/contract.md "Envelopes"). */
export type Detail = { indice?: number | undefined; campo?: string | undefined; message: string };

/** How a refusal leaves over HTTP: status, Spanish text, extra headers. */
export type HttpError = {
  status: number;
  /** A function takes what the refusal says of itself, and the entries of `details`. */
  message: string | ((params: ErrorParams, details: readonly Detail[]) => string);
  /** The stable code of the answer, for programs (docs/contract.md "Envelopes"). */
  codigo?: string;
  /** Expected under load: sent as 5xx, not logged as an error. */
  expectedUnderLoad?: true;
  headers?: Record<string, string> | ((params: ErrorParams) => Record<string, string>);
};
/** A service's refusals, by their codes. */
export type HttpErrors = Readonly<Record<string, HttpError>>;

/** The header of a refusal whose `params.seconds` says when to come back. */
export const retryAfter = ({ seconds }: ErrorParams) => ({ 'Retry-After': String(seconds) });

/** Largest request body and head (docs/contract.md "Envelopes"); a token of ours and its headers take 1 KiB. */
export const BODY_LIMIT_MIB = 4;
export const HEADER_LIMIT_KIB = 8;

/** The refusals that every HTTP service of ours knows (docs/contract.md "Envelopes"). */
export const commonHttpErrors = {
  'no-route': { status: 404, message: 'Recurso no encontrado' },
  'method-not-allowed': { status: 405, message: 'Metodo no permitido' },
  'body-too-large': {
    status: 413,
    message: `El cuerpo de la solicitud excede el limite de ${BODY_LIMIT_MIB} MiB`,
  },
  'not-json': { status: 415, message: 'El Content-Type debe ser application/json' },
  'invalid-json': { status: 400, message: 'El cuerpo de la solicitud no es JSON valido' },
  'headers-too-large': {
    status: 431,
    message: `Los headers de la solicitud exceden el limite de ${HEADER_LIMIT_KIB} KiB`,
  },
  'request-timeout': { status: 408, message: 'La solicitud no llego completa a tiempo' },
  'bad-request': { status: 400, message: 'Solicitud invalida' },
  'field-invalid': {
    status: 400,
    message: ({ campo, rule = 'no es valido' }) => `El campo '${campo}' ${rule}`,
  },
  'access-denied': {
    status: 401,
    message: 'Acceso denegado',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  unavailable: {
    status: 503,
    message: 'Servicio no disponible, intente de nuevo',
    headers: { 'Retry-After': '2' },
  },
  internal: { status: 500, message: 'Error interno del servidor' },
} as const satisfies HttpErrors;

declare module '#shared/errors.ts' {
  interface ErrorCodes extends CodesOf<typeof commonHttpErrors> {}
}

/** Says a refusal in the words of a table; a code that the table lacks is `internal`. */
export function toHttpError(table: HttpErrors, { code, params, problems }: DomainError) {
  const details = problems.map(
    ({ indice, campo, code, params }): Detail => ({
      indice,
      campo,
      message: textOf(entryOf(table, code), { ...params, campo }, []),
    }),
  );
  const { headers = {}, ...error } = entryOf(table, code);
  return {
    ...error,
    message: textOf(error, params, details),
    details,
    headers: typeof headers === 'function' ? headers(params) : headers,
  };
}

function entryOf(table: HttpErrors, code: string): HttpError {
  return table[code] ?? commonHttpErrors.internal;
}

function textOf({ message }: HttpError, params: ErrorParams, details: readonly Detail[]): string {
  return typeof message === 'string' ? message : message(params, details);
}
