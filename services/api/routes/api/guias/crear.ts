import { Type } from 'typebox';
import { type CreationDeps, createGuides } from '#api/guides/create-guides.ts';
import type { GuideRecord } from '#api/guides/guide-store.ts';
import { KEY_PATTERN } from '#api/guides/idempotency-key.ts';
import { apiUser } from '#api/plugins/authenticate.ts';
import { addRateLimit } from '#api/plugins/rate-limit-headers.ts';
import type { QuotaState } from '#api/quotas/account-limits.ts';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { operation } from '../../operation.ts';
import { CreatedGuideRef } from '../../schemas.ts';

const route = operation({
  id: 'crearGuias',
  tag: 'Guías',
  summary: 'Crear una o varias guías',
  description:
    'Todas o ninguna: con una guía mal no se crea ninguna, y `details` nombra todo lo que está mal.',
  permission: 'guias.create',
  objective: true,
  request: {
    body: Type.Ref('SolicitudDeGuias'),
    headers: Type.Object({
      'idempotency-key': Type.Optional(
        Type.String({
          pattern: KEY_PATTERN,
          description:
            'Nombre de esta solicitud, del cliente. Repetida con el mismo contenido dentro de 7 días (o el plazo que fije el transportista) da la misma respuesta y no crea nada.',
        }),
      ),
    }),
  },
  // The contract fixes the order of the checks and the words for each; `createGuides` validates with the same schema.
  validatedBy: 'handler',
  errors: [
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
    'too-many-guides-today',
    'idempotency-key-invalid',
    'idempotency-key-reused',
    'result-unknown',
    'body-too-large',
    'not-json',
  ],
  data: {
    message: (created) => `Guias creadas: ${created.length}`,
    schema: Type.Array(CreatedGuideRef),
    example: [
      {
        SEND_GUIA: '390458235877',
        SEND_SUCU_ORIG: 'MEX01',
        SEND_SUCU_DEST: 'MEX01',
        SEND_ESTATUS: 'Documentado',
        SEND_FECHA: '2026-11-21T05:05:10',
        SEND_REMITENTE: 'Ana López',
        SEND_DESTINATARIO: 'Luis Pérez',
        SEND_FLETE: 0,
        SEND_TOTAL: 0,
      },
    ],
  },
});
/** Says that the answer is that of an earlier request (draft-ietf-httpapi-idempotency-key-header). */
const REPLAYED_HEADER = 'Idempotent-Replayed';
const VALID_KEY = new RegExp(KEY_PATTERN);

/** `POST /api/guias/crear` (docs/contract.md "Guides"). */
export function createRoute(deps: CreationDeps) {
  return async (server: HttpServer) => {
    server.post('/api/guias/crear', route, async (request, reply) => {
      const idempotencyKey = request.headers['idempotency-key'];
      if (idempotencyKey !== undefined && !VALID_KEY.test(idempotencyKey)) {
        throw new DomainError('idempotency-key-invalid');
      }
      const { body, id: requestId } = request;
      const user = apiUser(request);
      const onQuota = (state: QuotaState) => addRateLimit(reply, state);
      const { guides, repeated } = await createGuides(deps, {
        body,
        user,
        requestId,
        idempotencyKey,
        onQuota,
      });
      if (repeated) reply.header(REPLAYED_HEADER, 'true');
      return route.ok(guides.map(toWire));
    });
  };
}

/** Writes a guide as the answer to its creation shows it (docs/contract.md "Guides"). */
function toWire(record: GuideRecord) {
  return {
    SEND_GUIA: record.number,
    SEND_SUCU_ORIG: record.origin.code,
    SEND_SUCU_DEST: record.destination.code,
    SEND_ESTATUS: record.status,
    SEND_FECHA: record.createdAt,
    SEND_REMITENTE: record.guide.Remitente.Nombre,
    SEND_DESTINATARIO: record.guide.Destinatario.Nombre,
    SEND_FLETE: record.freight,
    SEND_TOTAL: record.total,
  };
}
