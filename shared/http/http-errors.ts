import type { CodesOf, DomainError, ErrorParams, Problem, ProblemList } from '#shared/errors/domain-error.ts';
import type { OwnData } from '#shared/errors/own-data.ts';

/** An entry of `details`. */
export type Detail = {
  indice?: number | undefined;
  campo?: string | undefined;
  codigo: string;
  message: string;
  /** What is allowed, where the message does not say it. */
  regla?: string | undefined;
};

export type HttpError = {
  status: number;
  /** Stable, for programs. If it and `message` are undefined, the answer has those of the first problem. */
  codigo: string | undefined;
  message: string | undefined | ((params: ErrorParams) => string);
  headers?: Record<string, string> | ((params: ErrorParams) => Record<string, string>);
  /** The message is fixed, so `params.rule` stands beside it, as `regla`. */
  showsRule?: true;
  /**
   * Tells integrators in their guide what to do. Every error of a `codigo` has the same advice. Each sentence stands alone: people
   * at the counter read those without code.
   */
  advice?: string | undefined;
  /** Data of ours that decide whether a request is refused so: they may be wrong in place of the request. */
  ownData?: OwnData;
  /** What the tracking page shows in place of the answer. */
  page?: { title: string; sentence: string };
  /** The wrong field or parameter in the example of the OpenAPI document. */
  example?: string;
  /** By default, 5xx is logged as an error; others appear only in the line of their request. */
  logLevel?: 'error' | 'warn' | 'silent';
};
/** By the code of the `DomainError`. */
export type HttpErrors = Readonly<Record<string, HttpError>>;

export const retryAfter = ({ seconds }: ErrorParams) => ({ 'Retry-After': String(seconds) });

/** Largest request body and head. A token of ours and its headers take 1 KiB. */
export const BODY_LIMIT_MIB = 4;
export const HEADER_LIMIT_KIB = 8;
/** Most values in a body, counting objects and arrays. `MAX_GUIDES` full guides fit (test/api/guides/limits.test.ts). */
export const MAX_BODY_VALUES = 40_000;

const bodyTooLarge = {
  status: 413,
  codigo: 'cuerpo_muy_grande',
  advice: 'Divida la solicitud en varias.',
} as const;
const wrongContentType = {
  status: 415,
  codigo: 'tipo_de_contenido',
  advice: 'Mande `Content-Type: application/json`, sin comprimir.',
} as const;
const badRequest = {
  codigo: 'solicitud_invalida',
  advice: 'Revise la solicitud: no es HTTP válido.',
} as const;

/** The errors that every HTTP service of ours knows (docs/contract.md "Envelopes"). */
export const commonHttpErrors = {
  'no-route': {
    status: 404,
    codigo: 'recurso_no_encontrado',
    message: 'Recurso no encontrado',
    advice: 'Revise la ruta.',
  },
  'method-not-allowed': {
    status: 405,
    codigo: 'metodo_no_permitido',
    message: 'Metodo no permitido',
    advice: 'Use uno de los métodos del header `Allow`.',
  },
  'invalid-json': {
    status: 400,
    codigo: 'cuerpo_no_json',
    message: 'El cuerpo de la solicitud no es JSON valido',
    advice: 'Mande JSON válido y completo.',
  },
  'body-not-utf8': {
    status: 400,
    codigo: 'cuerpo_no_utf8',
    message: 'El cuerpo de la solicitud no es UTF-8 valido',
    advice: 'Mande el cuerpo en UTF-8, no en Latin-1.',
  },
  'body-too-large': {
    ...bodyTooLarge,
    message: `El cuerpo de la solicitud excede el limite de ${BODY_LIMIT_MIB} MiB`,
  },
  'too-many-values': {
    ...bodyTooLarge,
    message: `El cuerpo de la solicitud excede el limite de ${MAX_BODY_VALUES} valores`,
  },
  'not-json': { ...wrongContentType, message: 'El Content-Type debe ser application/json' },
  'body-compressed': {
    ...wrongContentType,
    message: 'El cuerpo de la solicitud no debe estar comprimido (Content-Encoding)',
    headers: { 'Accept-Encoding': 'identity' },
  },
  'headers-too-large': {
    status: 431,
    codigo: 'headers_muy_grandes',
    message: `Los headers de la solicitud exceden el limite de ${HEADER_LIMIT_KIB} KiB`,
    advice: 'Mande menos headers, o más cortos.',
  },
  'request-timeout': {
    status: 408,
    codigo: 'solicitud_incompleta',
    message: 'La solicitud no llego completa a tiempo',
    advice: 'La conexión fue demasiado lenta: repita.',
  },
  'expectation-failed': { ...badRequest, status: 417, message: 'Expect solo acepta: 100-continue' },
  'bad-request': { ...badRequest, status: 400, message: 'Solicitud invalida' },
  'field-invalid': {
    status: 400,
    codigo: 'campo_formato',
    message: ({ campo, rule = 'no es valido' }) => `El campo '${campo}' ${rule}`,
    advice: 'Corrija el valor: `message` dice la regla del campo.',
    example: 'Tipo',
  },
  'parameter-unknown': {
    status: 400,
    codigo: 'parametro_desconocido',
    message: ({ campo }) => `Parametro desconocido: '${campo}'`,
    showsRule: true,
    advice: 'Corrija el nombre del parámetro o quítelo: `regla` en `details` dice cuál es.',
    example: 'paquete',
  },
  'parameter-invalid': {
    status: 400,
    codigo: 'parametro_invalido',
    message: ({ campo }) => `El parametro '${campo}' no es valido`,
    showsRule: true,
    advice: 'Corrija el valor del parámetro que `details` nombra: `regla` dice qué admite.',
    example: 'limite',
  },
  'access-denied': {
    status: 401,
    codigo: 'acceso_denegado',
    message: 'Acceso denegado',
    headers: { 'WWW-Authenticate': 'Bearer' },
    advice:
      'Mande un solo `Authorization: Bearer`, con un token o una llave vigentes. Con un token, entre otra vez; con una llave, revise que esté completa y que no haya terminado ni vencido. Si aun así falla, el usuario está deshabilitado.',
  },
  unavailable: {
    status: 503,
    codigo: 'servicio_no_disponible',
    message: 'Servicio no disponible, intente de nuevo',
    headers: { 'Retry-After': '2' },
    advice: 'Repita tras `Retry-After`. Nada se guardó.',
    page: { title: 'Ahora no podemos consultar', sentence: 'Vuelva a intentar en un momento.' },
  },
  internal: {
    status: 500,
    codigo: 'error_interno',
    message: 'Error interno del servidor',
    advice: 'Puede repetir. Si sigue, avise al transportista. Dele el `requestId`.',
  },
} as const satisfies HttpErrors;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof commonHttpErrors> {}
}

/** Returns the answer to an error. A code that the table lacks is `internal`. */
export function toHttpError(table: HttpErrors, domainError: DomainError) {
  const { code, params, problems, problemsTotal, mostNamed, warnings } = domainError;
  const details = toDetails(table, problems.slice(0, mostNamed));
  const error = entryOf(table, code);
  const { headers = {} } = error;
  const [first] = details;
  return {
    ...error,
    codigo: error.codigo ?? first?.codigo ?? '',
    message: textOf(error, params) ?? first?.message ?? '',
    details,
    /** Set when `details` names the first problems only. */
    detailsTotal: problemsTotal > details.length ? problemsTotal : undefined,
    warnings: toWarnings(table, warnings),
    headers: typeof headers === 'function' ? headers(params) : headers,
  };
}

/** Returns the warnings of an answer, if there are any. */
export function toWarnings(table: HttpErrors, warnings: ProblemList | undefined) {
  if (!warnings || warnings.total === 0) return {};
  const { first, total } = warnings;
  return {
    advertencias: toDetails(table, first),
    ...(total > first.length && { advertenciasTotal: total }),
  };
}

export function toDetails(table: HttpErrors, problems: readonly Problem[]): Detail[] {
  return problems.map(({ indice, campo, code, params }) => {
    const error = entryOf(table, code);
    const message = textOf(error, { ...params, campo }) ?? '';
    const rule = error.showsRule && params?.rule;
    return { indice, campo, codigo: error.codigo ?? '', message, ...(rule && { regla: String(rule) }) };
  });
}

function entryOf(table: HttpErrors, code: string): HttpError {
  return table[code] ?? commonHttpErrors.internal;
}

/** Returns the text of an error; undefined if the answer has the text of the first problem. */
export function textOf({ message }: HttpError, params: ErrorParams): string | undefined {
  return typeof message === 'function' ? message(params) : message;
}
