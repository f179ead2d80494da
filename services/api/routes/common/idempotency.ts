import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { DomainError } from '#shared/errors/domain-error.ts';
import { KEY_PATTERN } from '../../guides/creation-journal.ts';

/** The header Idempotency-Key, for the routes that take it. */

/** Marks the repeated answer of an earlier request (draft-ietf-httpapi-idempotency-key-header). */
export const REPLAYED_HEADER = 'Idempotent-Replayed';

export const idempotencyHeader = Type.Optional(
  Type.String({
    pattern: KEY_PATTERN,
    description:
      'Nombre de esta solicitud, del cliente. Repetida con el mismo contenido dentro de siete días da la misma respuesta y no crea nada.',
  }),
);

const VALID_KEY = new RegExp(KEY_PATTERN);

/** Returns the key of a request, if it has one. @throws DomainError `idempotency-key-invalid` */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'] as string | undefined;
  if (key !== undefined && !VALID_KEY.test(key)) throw new DomainError('idempotency-key-invalid');
  return key;
}
