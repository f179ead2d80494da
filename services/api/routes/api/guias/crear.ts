import { Type } from 'typebox';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { createGuides } from '../../../guides/create-guides.ts';
import { KEY_PATTERN } from '../../../guides/creation-journal.ts';
import { GuideSummary, summaryOf } from '../../../guides/guide-summary.ts';
import { addRateLimit } from '../../account-quota.ts';
import { CREATED_EXAMPLE } from '../../examples.ts';
import {
  appliedHeader,
  GUIDE_REFUSALS,
  lenientHeader,
  readGuides,
  toWarnings,
  warnings,
} from '../../guide-requests.ts';
import { operation } from '../../operation.ts';
import { describeHeaders } from '../../responses.ts';
import { GuideRequest } from '../../schemas.ts';
import { markdownTable, WHEN_REPEATED, WHEN_TO_REPEAT, WHEN_TO_REPEAT_HEADS } from '../../when-to-repeat.ts';

/** Says that an answer is that of an earlier request (draft-ietf-httpapi-idempotency-key-header). */
const REPLAYED_HEADER = 'Idempotent-Replayed';

const route = operation({
  id: 'crearGuias',
  tag: 'Guias',
  summary: 'Crear una o varias guías',
  description: `Todas o ninguna: con una guía mal no se crea ninguna, y \`details\` nombra todo lo que está mal.\n\n${markdownTable(WHEN_TO_REPEAT_HEADS, WHEN_TO_REPEAT)}\n\n${WHEN_REPEATED}\n\n`,
  permission: 'guias.create',
  objective: true,
  request: {
    body: GuideRequest,
    headers: Type.Object({
      'idempotency-key': Type.Optional(
        Type.String({
          pattern: KEY_PATTERN,
          description:
            'Nombre de esta solicitud, del cliente. Repetida con el mismo contenido dentro de 7 días (o el plazo que fije el transportista) da la misma respuesta y no crea nada.',
        }),
      ),
      prefer: lenientHeader,
    }),
  },
  // The contract fixes the order of the checks and the words for each; `createGuides` validates with the same schema.
  validatedBy: 'handler',
  errors: [
    ...GUIDE_REFUSALS,
    'too-many-guides-today',
    'idempotency-key-invalid',
    'idempotency-key-reused',
    'result-unknown',
  ],
  data: {
    name: 'GuiasCreadas',
    message: (created) => `Guias creadas: ${created.length}`,
    schema: Type.Array(GuideSummary),
    beside: warnings,
    headers: {
      ...describeHeaders({
        [REPLAYED_HEADER]: 'true: las guías son de una solicitud anterior con la misma Idempotency-Key',
      }),
      ...appliedHeader,
    },
    example: [CREATED_EXAMPLE],
  },
});
const VALID_KEY = new RegExp(KEY_PATTERN);

/** `POST /api/guias/crear` (docs/contract.md "Guides"). */
export default async function createRoute(server: HttpServer): Promise<void> {
  server.post('/crear', route, async (request, reply) => {
    const idempotencyKey = request.headers['idempotency-key'];
    if (idempotencyKey !== undefined && !VALID_KEY.test(idempotencyKey)) {
      throw new DomainError('idempotency-key-invalid');
    }
    const sent = { ...readGuides(request, reply), idempotencyKey };
    const { guides, repeated, quota, warnings } = await createGuides(server, sent);
    if (quota) addRateLimit(reply, quota);
    if (repeated) reply.header(REPLAYED_HEADER, 'true');
    return { ...route.ok(guides.map(summaryOf)), ...toWarnings(warnings) };
  });
}
