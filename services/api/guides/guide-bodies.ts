import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ErrorCode } from '#shared/errors/domain-error.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { BODY_ERRORS } from '../http/operation.ts';
import { abortSignalOf } from '../http/response-end.ts';
import { describeHeaders } from '../http/responses.ts';
import type { SentRequest } from './guide-request.ts';

/** What the routes share that take guides: their errors, warnings and preferences. */

export const lenientHeader = Type.Optional(
  Type.String({
    description:
      '`handling=lenient` (RFC 7240): los campos desconocidos se omiten y se nombran en `advertencias`; ' +
      'la respuesta lleva `Preference-Applied: handling=lenient`. Sin ella se rechazan. Otras preferencias se ignoran.',
    examples: ['handling=lenient'],
  }),
);

export const appliedHeader = describeHeaders({
  'Preference-Applied': 'handling=lenient: los campos desconocidos se omitieron',
});

/** Errors of guides and of their body. */
export const GUIDE_ERRORS = [
  'invalid-json',
  'guia-array-missing',
  'guia-array-empty',
  'too-many-guides',
  'service-type-missing',
  'service-type-unknown',
  'guides-invalid',
  'destination-missing',
  'origin-unassigned',
  'origin-inactive',
  ...BODY_ERRORS,
] as const satisfies ErrorCode[];

/** Returns what a use case needs of a request with guides. */
export function sentRequest(request: FastifyRequest, reply: FastifyReply): SentRequest {
  const lenient = preferenceOf(request.headers.prefer, 'handling') === 'lenient';
  if (lenient) reply.header('preference-applied', 'handling=lenient');
  return {
    body: request.body,
    lenient,
    user: apiUser(request),
    requestId: request.id,
    signal: abortSignalOf(reply),
  };
}

/**
 * A list item whose quoted strings may hold commas (RFC 9110, 5.6.1). An unclosed quote ends with the header: a
 * search for its end would take quadratic time.
 */
const ITEM = /(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/g;
/** A preference and its value, without parameters (RFC 7240, 2). */
const PREFERENCE = /^\s*([^\s=;"]+)\s*(?:=\s*"?([^\s;"]*))?/;

/** Returns the value of a preference in a `Prefer` header; the first counts (RFC 7240, 2). */
export function preferenceOf(header: string | string[] | undefined, name: string): string | undefined {
  for (const [item] of String(header ?? '').matchAll(ITEM)) {
    const [, preference, value = ''] = PREFERENCE.exec(item) ?? [];
    if (preference?.toLowerCase() === name) return value.toLowerCase();
  }
  return undefined;
}
