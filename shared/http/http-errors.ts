import {
  type CodesOf,
  DomainError,
  type ErrorCode,
  type ErrorParams,
  MAX_PROBLEMS,
  type Problem,
} from '#shared/errors/domain-error.ts';

/** An entry of `details` (docs/contract.md "Envelopes"). */
export type Detail = {
  indice?: number | undefined;
  campo?: string | undefined;
  codigo: string;
  message: string;
};

/** How a refusal leaves over HTTP: status, code, Spanish text, extra headers. */
export type HttpError = {
  status: number;
  /**
   * The stable code of the answer, for programs (docs/contract.md "Envelopes"). A function takes the entries of
   * `details`.
   */
  codigo: string | ((details: readonly Detail[]) => string);
  /** A function takes what the refusal says of itself, and the entries of `details`. */
  message: string | ((params: ErrorParams, details: readonly Detail[]) => string);
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
/** Most values in a body, with objects and arrays: 500 guides with every field have 18 000. */
export const MAX_BODY_VALUES = 40_000;

/** The refusals that every HTTP service of ours knows (docs/contract.md "Envelopes"). */
export const commonHttpErrors = {
  'no-route': { status: 404, codigo: 'recurso_no_encontrado', message: 'Recurso no encontrado' },
  'method-not-allowed': { status: 405, codigo: 'metodo_no_permitido', message: 'Metodo no permitido' },
  'body-too-large': {
    status: 413,
    codigo: 'cuerpo_muy_grande',
    message: `El cuerpo de la solicitud excede el limite de ${BODY_LIMIT_MIB} MiB`,
  },
  'too-many-values': {
    status: 413,
    codigo: 'cuerpo_muy_grande',
    message: `El cuerpo de la solicitud excede el limite de ${MAX_BODY_VALUES} valores`,
  },
  'not-json': {
    status: 415,
    codigo: 'tipo_de_contenido',
    message: 'El Content-Type debe ser application/json',
  },
  'body-compressed': {
    status: 415,
    codigo: 'tipo_de_contenido',
    message: 'El cuerpo de la solicitud no debe estar comprimido (Content-Encoding)',
    headers: { 'Accept-Encoding': 'identity' },
  },
  'body-not-utf8': {
    status: 400,
    codigo: 'cuerpo_no_utf8',
    message: 'El cuerpo de la solicitud no es UTF-8 valido',
  },
  'invalid-json': {
    status: 400,
    codigo: 'cuerpo_no_json',
    message: 'El cuerpo de la solicitud no es JSON valido',
  },
  'headers-too-large': {
    status: 431,
    codigo: 'headers_muy_grandes',
    message: `Los headers de la solicitud exceden el limite de ${HEADER_LIMIT_KIB} KiB`,
  },
  'request-timeout': {
    status: 408,
    codigo: 'solicitud_incompleta',
    message: 'La solicitud no llego completa a tiempo',
  },
  'expectation-failed': {
    status: 417,
    codigo: 'solicitud_invalida',
    message: 'Expect solo acepta: 100-continue',
  },
  'bad-request': { status: 400, codigo: 'solicitud_invalida', message: 'Solicitud invalida' },
  'field-invalid': {
    status: 400,
    codigo: 'campo_formato',
    message: ({ campo, rule = 'no es valido' }) => `El campo '${campo}' ${rule}`,
  },
  'parameter-unknown': {
    status: 400,
    codigo: 'parametro_desconocido',
    message: ({ campo }) => `Parametro desconocido: '${campo}'`,
  },
  'parameter-invalid': {
    status: 400,
    codigo: 'parametro_invalido',
    message: ({ campo }) => `El parametro '${campo}' no es valido`,
  },
  'access-denied': {
    status: 401,
    codigo: 'acceso_denegado',
    message: 'Acceso denegado',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  unavailable: {
    status: 503,
    codigo: 'servicio_no_disponible',
    message: 'Servicio no disponible, intente de nuevo',
    headers: { 'Retry-After': '2' },
  },
  internal: { status: 500, codigo: 'error_interno', message: 'Error interno del servidor' },
} as const satisfies HttpErrors;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof commonHttpErrors> {}
}

/** Returns the refusal of a request for which these fields or parameters are to blame, all in the same way, each once. */
export function refuseFor(code: ErrorCode, campos: readonly string[]): DomainError {
  const problems = [...new Set(campos)].map((campo) => ({ campo, code }));
  return new DomainError(code, { params: { campo: campos[0] }, problems });
}

/** Says a refusal in the words of a table; a code that the table lacks is `internal`. */
export function toHttpError(table: HttpErrors, { code, params, problems, problemsTotal }: DomainError) {
  const details = toDetails(table, problems);
  const { headers = {}, ...error } = entryOf(table, code);
  return {
    ...error,
    codigo: codeOf(error, details),
    message: textOf(error, params, details),
    details,
    /** Where `details` names the first problems only. */
    detailsTotal: problemsTotal > details.length ? problemsTotal : undefined,
    headers: typeof headers === 'function' ? headers(params) : headers,
  };
}

/** Says problems in the words of a table, as many as an answer names. */
export function toDetails(table: HttpErrors, problems: readonly Problem[]): Detail[] {
  return problems.slice(0, MAX_PROBLEMS).map(({ indice, campo, code, params }) => {
    const error = entryOf(table, code);
    return { indice, campo, codigo: codeOf(error, []), message: textOf(error, { ...params, campo }, []) };
  });
}

function entryOf(table: HttpErrors, code: string): HttpError {
  return table[code] ?? commonHttpErrors.internal;
}

function codeOf({ codigo }: HttpError, details: readonly Detail[]): string {
  return typeof codigo === 'string' ? codigo : codigo(details);
}

function textOf({ message }: HttpError, params: ErrorParams, details: readonly Detail[]): string {
  return typeof message === 'string' ? message : message(params, details);
}
