import type { CodesOf, ErrorParams, Problem } from '#shared/errors/domain-error.ts';
import { commonHttpErrors, type HttpError, retryAfter } from '#shared/http/http-errors.ts';
import { MAX_KEY_LENGTH } from './idempotency.ts';

/** How the api answers errors. A room has a table of its own, and the tables of all rooms are joined where the api is built. */

/** `advice` tells integrators in their guide what to do; every error of a `codigo` has the same. */
export type ApiError = HttpError &
  Pick<Required<HttpError>, 'advice'> & {
    /** The errors that an answer of this one may begin with, in the order of the document. */
    problems?: readonly string[];
    /** What the placeholders of its message have in the example of the OpenAPI document. */
    exampleParams?: ErrorParams;
    /** The problem in that example, where it is another error's. */
    exampleProblem?: Omit<Problem, 'code'> & { code: string };
  };
/** By the code of the `DomainError`. */
export type ErrorTable = Readonly<Record<string, ApiError>>;

/** JSON types, as a message names them. */
const EXPECTED_TYPES: Readonly<Record<string, string>> = {
  string: 'texto (string)',
  number: 'un numero (number)',
  integer: 'un numero entero (integer)',
  boolean: 'un booleano (boolean)',
  array: 'un arreglo (array)',
  object: 'un objeto (object)',
};
const GIVEN_TYPES: Readonly<Record<string, string>> = {
  string: 'un texto',
  number: 'un numero',
  boolean: 'un booleano',
  array: 'un arreglo',
  object: 'un objeto',
};

/** More than a user, an account or an address may ask for. `params.seconds` says when to come back. */
export const limitReached = {
  status: 429,
  codigo: 'cuota_excedida',
  headers: retryAfter,
  advice:
    'Espere lo que dice `Retry-After` y repita. `RateLimit` dice cuánto queda de cada límite antes de llegar a él.',
} as const;
/** Whether a write was done is unknown. */
export const unknownOutcome = {
  status: 503,
  codigo: 'resultado_desconocido',
  advice:
    'Puede que se haya hecho: búsquelo antes de repetir. Con `Idempotency-Key`, repita la misma solicitud sin buscar. Lo que lleva su propio `Id`, y una cancelación, se repite tal cual.',
} as const;
export const wrongType = {
  status: 400,
  codigo: 'campo_tipo',
  advice:
    'Corrija el valor: `message` dice qué se espera y qué llegó. En JSON, un código postal es texto: `"06600"`.',
} as const;
const { codigo, advice } = commonHttpErrors['parameter-invalid'];
export const wrongParameter = { status: 400, codigo, advice } as const;
/** Code and text of the answer are those of its first problem, one of `problems`. */
export const firstProblem = {
  status: 400,
  codigo: undefined,
  message: undefined,
  advice: undefined,
} as const;

/** The problems of a field by itself. */
export const FIELD_PROBLEMS = [
  'field-required',
  'field-type',
  'field-invalid',
  'field-too-long',
  'field-unknown',
] as const;

/** The errors of every request, whatever its route. Those of all services stand here by name, for their place in the guide. */
export const requestErrors = {
  'token-expired': {
    status: 401,
    codigo: 'token_expirado',
    message: 'Token expirado',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    advice: 'Entre otra vez y repita la solicitud con el token nuevo.',
  },
  'access-denied': commonHttpErrors['access-denied'],
  forbidden: {
    status: 403,
    codigo: 'sin_permiso',
    message: 'No tiene permiso para realizar esta accion',
    advice:
      'Pida a su transportista el permiso que la operación nombra. Si su llave se creó con `Permisos`, cree una que lo tenga.',
  },
  'too-many-requests': {
    ...limitReached,
    message: 'Demasiadas solicitudes, intente mas tarde',
    page: { title: 'Demasiadas consultas', sentence: 'Espere un minuto y vuelva a intentar.' },
  },
  'fields-invalid': { ...firstProblem, problems: FIELD_PROBLEMS },
  'field-required': {
    status: 400,
    codigo: 'campo_requerido',
    message: ({ campo }) => `El campo '${campo}' es requerido`,
    advice: 'Complete el campo: `campo` dice cuál e `indice` en qué guía.',
    example: 'Tipo',
  },
  'field-type': {
    ...wrongType,
    message: ({ campo, expected = '', given = '' }) =>
      `El campo '${campo}' debe ser ${EXPECTED_TYPES[expected] ?? expected}, no ${GIVEN_TYPES[given] ?? given}`,
    example: 'Tipo',
  },
  'field-invalid': commonHttpErrors['field-invalid'],
  'field-too-long': {
    status: 400,
    codigo: 'campo_largo',
    message: ({ campo, limit }) => `El campo '${campo}' admite hasta ${limit} caracteres`,
    advice: 'Acorte el texto a los caracteres que dice `message`.',
  },
  'field-unknown': {
    status: 400,
    codigo: 'campo_desconocido',
    message: ({ campo, meant, place }) =>
      `Campo desconocido: '${campo}'${meant === undefined ? '' : `; ¿quiso decir '${meant}'${place ? `, ${place}` : ''}?`}`,
    advice:
      'Corrija el nombre del campo o quítelo. Mientras integra, `Prefer: handling=lenient` omite los desconocidos y los nombra en `advertencias`.',
    example: 'Tipos',
  },
  'idempotency-key-invalid': {
    status: 400,
    codigo: 'idempotencia_invalida',
    message: `Idempotency-Key debe tener de 1 a ${MAX_KEY_LENGTH} caracteres visibles`,
    advice: `Use de 1 a ${MAX_KEY_LENGTH} caracteres ASCII visibles, por ejemplo el número de su pedido.`,
  },
  'idempotency-key-reused': {
    status: 409,
    codigo: 'idempotencia_conflicto',
    message: 'Idempotency-Key ya usada con otro contenido',
    advice:
      'La clave ya es de otra solicitud. Si esta es nueva, dele otra clave; si es la misma, mande el mismo contenido.',
  },
  'parameter-unknown': commonHttpErrors['parameter-unknown'],
  'parameter-invalid': commonHttpErrors['parameter-invalid'],
  overloaded: {
    logLevel: 'silent',
    status: 503,
    codigo: 'saturado',
    message: commonHttpErrors.unavailable.message,
    headers: retryAfter,
    advice: 'Repita tras `Retry-After`, con menos solicitudes a la vez.',
  },
  /** The client has left: the answer is not sent and not counted as a failure. */
  'client-gone': {
    logLevel: 'silent',
    status: 499,
    codigo: 'cliente_ausente',
    message: 'El cliente cerro la conexion',
    advice: undefined,
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof requestErrors> {}
}

/**
 * Joins the tables of rooms, with the errors of every request and of every service.
 *
 * @throws Error if two tables have the same code, or an error may begin with a problem that no table has.
 */
export function joinErrors(tables: readonly ErrorTable[]): ErrorTable {
  const joined: Record<string, ApiError> = { ...requestErrors };
  for (const [code, error] of tables.flatMap((table) => Object.entries(table))) {
    if (code in joined) throw new Error(`Two rooms have the error ${code}`);
    joined[code] = error;
  }
  const whole: ErrorTable = { ...joined, ...commonHttpErrors };
  for (const { problems = [] } of Object.values(whole)) for (const code of problems) errorOf(whole, code);
  return whole;
}

/** @throws Error if the table lacks the code. */
export function errorOf(table: ErrorTable, code: string): ApiError {
  const error = table[code];
  if (!error) throw new Error(`No room has the error ${code}`);
  return error;
}

/** Returns each `codigo` that an answer with this error may have. */
export function codigosOf(table: ErrorTable, code: string): string[] {
  const { codigo, problems = [] } = errorOf(table, code);
  return codigo === undefined
    ? [...new Set(problems.flatMap((problem) => codigosOf(table, problem)))]
    : [codigo];
}
