import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ProblemList } from '#shared/errors.ts';
import { MAX_PROBLEMS } from '#shared/errors.ts';
import { toDetails } from '#shared/http/http-errors.ts';
import { type ApiErrorCode, httpErrors } from '../errors.ts';
import type { ValidationRequest } from '../guides/create-guides.ts';
import { apiUser, whenGone } from './authenticate.ts';
import { BODY_REFUSALS } from './operation.ts';
import { describeHeaders } from './responses.ts';
import { Problem } from './schemas.ts';

/** What the routes that take the guides of a creation have in common (docs/contract.md "Guides"). */

export const lenientHeader = Type.Optional(
  Type.String({
    description:
      '`handling=lenient` (RFC 7240): los campos desconocidos se omiten y se nombran en `advertencias`; ' +
      'la respuesta lleva `Preference-Applied: handling=lenient`.',
    examples: ['handling=lenient'],
  }),
);

export const appliedHeader = describeHeaders({
  'Preference-Applied': 'handling=lenient: los campos desconocidos se omitieron',
});

/** The refusals of guides, and of the body that they are in. */
export const GUIDE_REFUSALS = [
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
  ...BODY_REFUSALS,
] as const satisfies ApiErrorCode[];

export const warnings = {
  advertencias: Type.Optional(
    Type.Array(Problem, {
      maxItems: MAX_PROBLEMS,
      description:
        'Los textos que la etiqueta no imprime completos, y con `Prefer: handling=lenient` los campos que se omitieron; ' +
        `hasta ${MAX_PROBLEMS}`,
    }),
  ),
  advertenciasTotal: Type.Optional(
    Type.Integer({ description: `Cuántas advertencias hay, donde son más de ${MAX_PROBLEMS}` }),
  ),
};

export function readGuides(request: FastifyRequest, reply: FastifyReply): ValidationRequest {
  const lenient = preferenceOf(request.headers.prefer, 'handling') === 'lenient';
  if (lenient) reply.header('preference-applied', 'handling=lenient');
  return {
    body: request.body,
    lenient,
    user: apiUser(request),
    requestId: request.id,
    gone: whenGone(reply),
  };
}

export function toWarnings({ first, total }: ProblemList) {
  if (total === 0) return {};
  const advertencias = toDetails(httpErrors, first);
  return { advertencias, ...(total > first.length && { advertenciasTotal: total }) };
}

/**
 * An item of a list whose quoted strings may hold commas (RFC 9110, 5.6.1). A quote that nothing closes ends with the
 * header: were it no item, each quote in 8 KiB of them would be searched to the end, for 180 ms.
 */
const ITEM = /(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/g;
/** A preference with its value, before its parameters (RFC 7240, 2). */
const PREFERENCE = /^\s*([^\s=;"]+)\s*(?:=\s*"?([^\s;"]*))?/;

/** Returns the value of a preference in a `Prefer` header; of several the first counts (RFC 7240, 2). */
export function preferenceOf(header: string | string[] | undefined, name: string): string | undefined {
  for (const [item] of String(header ?? '').matchAll(ITEM)) {
    const [, preference, value = ''] = PREFERENCE.exec(item) ?? [];
    if (preference?.toLowerCase() === name) return value.toLowerCase();
  }
  return undefined;
}
