import { type TSchema, Type } from 'typebox';
import { DomainError } from '#shared/errors.ts';
import { toHttpError } from '#shared/http/errors/http-errors.ts';
import { type ApiErrorCode, codigosOf, httpErrors } from '../errors.ts';

/** What the document shows in place of what the service fills into a message. */
const params = { postalCode: '99999', seconds: 900, campo: 'paquete' };
const SAMPLE = {
  params,
  problems: [{ indice: 0, campo: 'Destinatario.CodigoPostal', code: 'postal-code-uncovered', params }],
} as const;

const REQUEST_ID = {
  'X-Request-Id': Type.String({ description: 'El del cliente si es válido; si no, uno nuevo' }),
};
const HEADER_DESCRIPTIONS: Record<string, string> = {
  'Retry-After': 'Segundos que conviene esperar',
  'WWW-Authenticate': 'Esquema de autenticación (RFC 9110)',
  'Accept-Encoding': 'Codificaciones que se aceptan (RFC 7694)',
};

type Success = {
  schema: TSchema;
  beside?: Record<string, TSchema>;
  headers?: Record<string, TSchema>;
  example: unknown;
};

/** Documents the success of an operation (docs/contract.md "Envelopes"). */
export function okResponse({ schema: data, beside = {}, headers = {}, example }: Success, message: string) {
  const schema = Type.Object({ response: Type.Literal('OK'), message: Type.String(), data, ...beside });
  const value = { response: 'OK', message, data: example };
  return {
    description: message,
    headers: { ...REQUEST_ID, ...headers },
    content: { 'application/json': { schema, examples: { ejemplo: { value } } } },
  };
}

/** Documents refusals by status. Text, status and headers come from the table that answers them. */
export function errorResponses(codes: ApiErrorCode[]): Record<string, object> {
  const refusals = codes.map((code) => ({ code, ...toHttpError(httpErrors, new DomainError(code, SAMPLE)) }));
  const byStatus = Map.groupBy(refusals, ({ status }) => String(status));
  return Object.fromEntries([...byStatus].map(([status, group]) => [status, errorResponse(group)]));
}

type Refusal = { code: ApiErrorCode } & ReturnType<typeof toHttpError>;

function errorResponse(refusals: Refusal[]) {
  const headers = refusals.flatMap(({ headers }) => Object.keys(headers));
  const described = headers.map((name) => [
    name,
    Type.String({ description: HEADER_DESCRIPTIONS[name] ?? '' }),
  ]);
  const requestId = '0b8e1f0c-6d5e-4c0e-9d55-2d1f0b8e1f0c';
  const examples = refusals.map(({ code, message, codigo, details }) => {
    const inGuides = code === 'guides-invalid' && { details };
    return [code, { value: { response: 'ERROR', message, codigo, ...inGuides, requestId } }];
  });
  const codigos = [...new Set(refusals.flatMap(({ code }) => codigosOf(code)))].sort();
  return {
    description: [...new Set(refusals.map(({ message }) => message))].join(' · '),
    headers: { ...REQUEST_ID, ...Object.fromEntries(described) },
    content: {
      'application/json': {
        schema: Type.Intersect([Type.Ref('Error'), Type.Object({ codigo: Type.Enum(codigos) })]),
        examples: Object.fromEntries(examples),
      },
    },
  };
}
