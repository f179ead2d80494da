import { type Static, type TSchema, Type } from 'typebox';
import { TIPOS } from '#shared/contracts/label-kinds.ts';
import { DomainError, type Problem } from '#shared/errors/domain-error.ts';
import { type HttpError, toHttpError } from '#shared/http/http-errors.ts';
import { type ApiErrorCode, codigosOf, httpErrors } from '../errors.ts';
import { ErrorAnswer } from './schemas.ts';

/** Example values for the placeholders of messages. */
const PARAMS = {
  postalCode: '99999',
  seconds: 900,
  expected: 'string',
  given: 'number',
  rule: `solo acepta: ${TIPOS.join(', ')}`,
  explanation: 'no hay precio de Domicilio en la zona 3, lista publica',
  is: '3 kg',
  quoted: '2.5 kg',
  expired: '2026-12-01T23:59:59-06:00',
  manifest: 'M48291365074',
  branch: 'GDL01',
  other: 'MEX01',
};

const UNCOVERED: Problem = {
  indice: 0,
  campo: 'Destinatario.CodigoPostal',
  code: 'postal-code-uncovered',
  params: PARAMS,
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

/** Documents errors by status. Text, status and headers come from the table that answers them. */
export function errorResponses(codes: ApiErrorCode[]): Record<string, Response> {
  const statuses = [...errorsByStatus(codes)].map(([status, group]) => [status, errorResponse(group)]);
  return Object.fromEntries(statuses);
}

/** Returns the `codigo`s of these errors, by status. */
export function codigosByStatus(codes: ApiErrorCode[]): Record<string, string[]> {
  const statuses = [...errorsByStatus(codes)].map(([status, group]) => [
    status,
    [...new Set(group.flatMap(({ code }) => codigosOf(code)))].toSorted(),
  ]);
  return Object.fromEntries(statuses);
}

function errorsByStatus(codes: ApiErrorCode[]) {
  const errors = codes.map((code) => {
    const { example: campo }: HttpError = httpErrors[code];
    const blamed: Problem[] = campo === undefined ? [] : [{ campo, code, params: PARAMS }];
    const problems = code === 'guides-invalid' ? [UNCOVERED] : blamed;
    const error = new DomainError(code, { params: { ...PARAMS, campo }, problems });
    return { code, ...toHttpError(httpErrors, error) };
  });
  return Map.groupBy(errors, ({ status }) => String(status));
}

function errorLines(errors: readonly { code: ApiErrorCode; message: string }[]): string {
  const lines = errors.map(({ code, message }) => {
    const codigos = codigosOf(code);
    return `- \`${codigos.join('`, `')}\`${codigos.length > 1 ? ', por ejemplo' : ''}: ${message}`;
  });
  return lines.join('\n');
}

/** Lists errors as Markdown, each with its code and text. */
export function listErrors(codes: ApiErrorCode[]): string {
  return errorLines([...errorsByStatus(codes).values()].flat());
}

function errorResponse(errors: ({ code: ApiErrorCode } & ReturnType<typeof toHttpError>)[]): Response {
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
