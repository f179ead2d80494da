import { type TSchema, Type } from 'typebox';
import { commonHttpErrors, DomainError, type HttpError, type HttpErrors } from '#shared/errors.ts';
import { apiErrors } from '../errors.ts';
import { okAnswer } from './schemas.ts';

const errors: HttpErrors = { ...commonHttpErrors, ...apiErrors };
export type ErrorCode = keyof typeof commonHttpErrors | keyof typeof apiErrors;

/** What the texts with a gap are shown with. */
const SAMPLE = { postalCode: '99999', first: 'No hay cobertura para el código postal: 99999', seconds: 900 };
const REQUEST_ID = {
  'X-Request-Id': Type.String({ description: 'El del cliente si es válido; si no, uno nuevo' }),
};
const HEADER_DESCRIPTIONS: Record<string, string> = {
  'Retry-After': 'Segundos que conviene esperar',
  'WWW-Authenticate': 'Esquema de autenticación (RFC 6750)',
};
/** What any request may meet. */
const ALWAYS: ErrorCode[] = ['too-many-requests', 'internal', 'unavailable'];
const AUTHENTICATED: ErrorCode[] = ['access-denied', 'token-expired'];

type Operation = {
  id: string;
  tag: 'Autenticación' | 'Guías' | 'Etiquetas' | 'Sucursales';
  summary: string;
  description?: string;
  /** Nothing for an operation that needs no token; else the permission. */
  permission?: string;
  /** The refusals of its own; those of every request and of every token are added. */
  errors?: ErrorCode[];
  /** Success, where it is JSON. */
  data?: { schema: TSchema; message: string; example: unknown };
};

/**
 * An operation's part of the OpenAPI document, as a Fastify route schema. The errors come from the table that
 * answers them, so the document cannot name another text or status than the API does.
 */
export function describe(operation: Operation): object {
  const { id, tag, summary, permission, data } = operation;
  const authenticated = permission !== undefined;
  const needs = permission && permission !== 'any' ? `Requiere el permiso \`${permission}\`.` : '';
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [operation.description, needs].filter(Boolean).join(' '),
    security: authenticated ? [{ bearerAuth: [] }] : [],
    response: {
      ...(data && { 200: okResponse(data) }),
      ...errorResponses([
        ...(operation.errors ?? []),
        ...(authenticated ? AUTHENTICATED : []),
        ...(needs ? (['forbidden'] as const) : []),
        ...ALWAYS,
      ]),
    },
  };
}

function okResponse({ schema, message, example }: NonNullable<Operation['data']>) {
  const value = { response: 'OK', message, data: example };
  return {
    description: message,
    headers: REQUEST_ID,
    content: { 'application/json': { schema: okAnswer(schema), examples: { ejemplo: { value } } } },
  };
}

function errorResponses(codes: ErrorCode[]): Record<string, object> {
  const byStatus = Map.groupBy(codes, (code) => String(errors[code]?.status));
  return Object.fromEntries([...byStatus].map(([status, group]) => [status, errorResponse(group)]));
}

function errorResponse(codes: ErrorCode[]) {
  const entries = codes.map((code) => ({ code, ...expand(errors[code] as HttpError) }));
  const headers = Object.assign({}, ...entries.map(({ headers }) => headers));
  return {
    description: entries.map(({ message }) => message).join(' · '),
    headers: {
      ...REQUEST_ID,
      ...Object.fromEntries(
        Object.keys(headers).map((name) => [
          name,
          Type.String({ description: HEADER_DESCRIPTIONS[name] ?? '' }),
        ]),
      ),
    },
    content: {
      'application/json': {
        schema: Type.Ref('Error'),
        examples: Object.fromEntries(
          entries.map(({ code, message }) => [
            code,
            { value: { response: 'ERROR', message, requestId: '0b8e1f0c-6d5e-4c0e-9d55-2d1f0b8e1f0c' } },
          ]),
        ),
      },
    },
  };
}

function expand({ message, headers = {} }: HttpError): { message: string; headers: Record<string, string> } {
  const { params } = new DomainError('sample', { params: SAMPLE });
  return {
    message: typeof message === 'string' ? message : message(params),
    headers: typeof headers === 'function' ? headers(params) : headers,
  };
}
