import { type Static, type TSchema, Type } from 'typebox';
import { DomainError, type ErrorCode, type Problem } from '#shared/errors/domain-error.ts';
import { toHttpError } from '#shared/http/http-errors.ts';
import { codigosOf, type ErrorTable, errorOf } from './errors.ts';
import { ErrorAnswer } from './schemas.ts';

/** Example values for the placeholders of messages; an error may have `exampleParams` of its own. */
const PARAMS = {
  seconds: 900,
  expected: 'string',
  given: 'number',
  rule: 'solo acepta: carta, pequena, 10x15',
};

const REQUEST_ID = describeHeaders({ 'X-Request-Id': 'El del cliente si es válido; si no, uno nuevo' });
/** Headers of every answer to a valid token. */
const RATE_LIMITS = describeHeaders({
  RateLimit: 'Cuánto queda de cada límite de la cuenta, y en cuántos segundos se recupera',
  'RateLimit-Policy': 'Los límites de la cuenta (draft-ietf-httpapi-ratelimit-headers)',
});
const HEADERS_OF_ERRORS: Readonly<Record<string, string>> = {
  'Retry-After': 'Segundos que conviene esperar',
  'WWW-Authenticate': 'Esquema de autenticación (RFC 9110)',
  'Accept-Encoding': 'Codificaciones que se aceptan (RFC 7694)',
  Vary: 'El formato depende de Accept',
};

export function describeHeaders(descriptions: Record<string, string>): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [name, Type.String({ description })]),
  );
}

export type Response = { description: string; headers?: Record<string, TSchema>; [name: string]: unknown };

/** The success of an operation, as JSON. */
export type Success<Data extends TSchema = TSchema> = {
  /** Name of the schema: `Sucursales` makes `RespuestaSucursales`. */
  name: string;
  schema: Data;
  beside?: Record<string, TSchema>;
  message: string | ((data: Static<Data>) => string);
  example: Static<Data>;
  /** Headers beside those of every answer. */
  headers?: Record<string, TSchema>;
};

/** Makes the answer of success (docs/contract.md "Envelopes"). */
export function answerOf<Data extends TSchema>({ message }: Success<Data>, data: Static<Data>) {
  return {
    response: 'OK' as const,
    message: typeof message === 'string' ? message : message(data),
    data,
  };
}

export function okResponse(success: Success): Response {
  const { name, schema: data, beside = {}, headers = {}, example } = success;
  const schema = Type.Object(
    { response: Type.Literal('OK'), message: Type.String(), data, ...beside },
    { title: `Respuesta${name}` },
  );
  const value = answerOf(success, example);
  return {
    description: value.message,
    headers,
    content: { 'application/json': { schema, examples: { ejemplo: { value } } } },
  };
}

/** Documents errors by status, with text, status and headers from the table that answers them. */
export function errorResponses(table: ErrorTable, codes: readonly ErrorCode[]): Record<string, Response> {
  const statuses = [...errorsByStatus(table, codes)].map(([status, group]) => [status, errorResponse(group)]);
  return Object.fromEntries(statuses);
}

/** Returns the `codigo`s of these errors, by status. */
export function codigosByStatus(table: ErrorTable, codes: readonly ErrorCode[]): Record<string, string[]> {
  const statuses = [...errorsByStatus(table, codes)].map(([status, group]) => [
    status,
    [...new Set(group.flatMap(({ codigos }) => codigos))].toSorted(),
  ]);
  return Object.fromEntries(statuses);
}

/** Lists errors as Markdown, each with its code and text. */
export function listErrors(table: ErrorTable, codes: readonly ErrorCode[]): string {
  return errorLines([...errorsByStatus(table, codes).values()].flat());
}

type Documented = { code: string; codigos: string[] } & ReturnType<typeof toHttpError>;

function errorsByStatus(table: ErrorTable, codes: readonly ErrorCode[]): Map<string, Documented[]> {
  const errors = codes.map((code) => ({
    code,
    codigos: codigosOf(table, code),
    ...toHttpError(table, exampleOf(table, code)),
  }));
  return Map.groupBy(errors, ({ status }) => String(status));
}

/** Returns an error as it may be answered, with the example values of its message. */
function exampleOf(table: ErrorTable, code: ErrorCode): DomainError {
  const { example: campo, exampleParams, exampleProblem } = errorOf(table, code);
  const params = { ...PARAMS, ...exampleParams };
  const blamed: Problem[] = campo === undefined ? [] : [{ campo, code, params }];
  return new DomainError(code, {
    params: { ...params, campo },
    problems: exampleProblem ? [exampleProblem as Problem] : blamed,
  });
}

function errorLines(errors: readonly Documented[]): string {
  const lines = errors.map(
    ({ codigos, message }) =>
      `- \`${codigos.join('`, `')}\`${codigos.length > 1 ? ', por ejemplo' : ''}: ${message}`,
  );
  return lines.join('\n');
}

function errorResponse(errors: readonly Documented[]): Response {
  const requestId = '0b8e1f0c-6d5e-4c0e-9d55-2d1f0b8e1f0c';
  const examples = errors.map(({ code, message, codigo, details }) => {
    const blamed = details.length > 0 && { details };
    return [code, { value: { response: 'ERROR', message, codigo, requestId, ...blamed } }];
  });
  const names = errors.flatMap(({ headers }) => Object.keys(headers));
  return {
    description: errorLines(errors),
    headers: describeHeaders(Object.fromEntries(names.map((name) => [name, HEADERS_OF_ERRORS[name] ?? '']))),
    content: { 'application/json': { schema: ErrorAnswer, examples: Object.fromEntries(examples) } },
  };
}

/** Adds the headers of every operation; `limited` if it demands a token. */
export function withCommonHeaders(responses: Record<string, Response>, limited: boolean) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { headers, ...response }]) => {
      const limits = limited && status !== '401' && RATE_LIMITS;
      return [status, { ...response, headers: { ...headers, ...limits, ...REQUEST_ID } }];
    }),
  );
}
