import { Type } from 'typebox';
import { httpErrors } from '#api/errors.ts';
import { type CreationDeps, createGuides } from '#api/guides/create-guides.ts';
import { KEY_PATTERN } from '#api/guides/idempotency-key.ts';
import type { ProblemList } from '#api/guides/request/problem-list.ts';
import { apiUser } from '#api/plugins/authenticate.ts';
import { REPLAYED_HEADER } from '#api/plugins/cors.ts';
import { addRateLimit } from '#api/plugins/rate-limit-headers.ts';
import { DomainError, MAX_PROBLEMS } from '#shared/errors.ts';
import { toDetails } from '#shared/http/errors/http-errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { CREATED_EXAMPLE } from '../../examples.ts';
import { toCreatedGuide } from '../../guide-records.ts';
import { operation } from '../../operation.ts';
import { preferenceOf } from '../../preferences.ts';
import { describeHeaders } from '../../responses.ts';
import { CreatedGuide, GuideRequest, Problem } from '../../schemas.ts';

/** What holds after each answer, as docs/contract.md "Guides" has it. */
const WHEN_TO_REPEAT = `
| Respuesta | Las guías de esta solicitud | Sin \`Idempotency-Key\` | Con ella |
|---|---|---|---|
| 200 | Existen todas | No repita: crearía otras | La misma respuesta |
| 400, 401, 403, 405, 409, 413, 415, 431 | No existe ninguna | Corrija la solicitud | Corrija la solicitud; tras 409 use otra clave |
| 408, 429, 503 \`Servicio no disponible, intente de nuevo\` | No existe ninguna | Repita tras \`Retry-After\` | Repita tras \`Retry-After\` |
| 500 | No existe ninguna | Puede repetir | Repita |
| 503 \`resultado_desconocido\`, o conexión cortada sin respuesta | Existen todas o ninguna | Busque sus guías antes de repetir | Repita |`;

const route = operation({
  id: 'crearGuias',
  tag: 'Guias',
  summary: 'Crear una o varias guías',
  description: `Todas o ninguna: con una guía mal no se crea ninguna, y \`details\` nombra todo lo que está mal.\n${WHEN_TO_REPEAT}\n\n`,
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
      prefer: Type.Optional(
        Type.String({
          description:
            '`handling=lenient` (RFC 7240): los campos desconocidos se omiten y se nombran en `advertencias`; ' +
            'la respuesta lleva `Preference-Applied: handling=lenient`.',
          examples: ['handling=lenient'],
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
    'too-many-values',
    'body-compressed',
    'body-not-utf8',
  ],
  data: {
    name: 'GuiasCreadas',
    message: (created) => `Guias creadas: ${created.length}`,
    schema: Type.Array(CreatedGuide),
    beside: {
      advertencias: Type.Optional(
        Type.Array(Problem, {
          maxItems: MAX_PROBLEMS,
          description: `Con \`Prefer: handling=lenient\`: los campos que se omitieron, hasta ${MAX_PROBLEMS}`,
        }),
      ),
      advertenciasTotal: Type.Optional(
        Type.Integer({ description: `Cuántos se omitieron, donde son más de ${MAX_PROBLEMS}` }),
      ),
    },
    headers: describeHeaders({
      [REPLAYED_HEADER]: 'true: las guías son de una solicitud anterior con la misma Idempotency-Key',
      'Preference-Applied': 'handling=lenient: los campos desconocidos se omitieron',
    }),
    example: [CREATED_EXAMPLE],
  },
});
const VALID_KEY = new RegExp(KEY_PATTERN);

/** `POST /api/guias/crear` (docs/contract.md "Guides"). */
export function createRoute(deps: CreationDeps) {
  return async (server: HttpServer) => {
    server.post('/api/guias/crear', route, async (request, reply) => {
      const idempotencyKey = request.headers['idempotency-key'];
      if (idempotencyKey !== undefined && !VALID_KEY.test(idempotencyKey)) {
        throw new DomainError('idempotency-key-invalid');
      }
      const lenient = preferenceOf(request.headers.prefer, 'handling') === 'lenient';
      if (lenient) reply.header('preference-applied', 'handling=lenient');
      let warnings = {};
      const { guides, repeated } = await createGuides(deps, {
        body: request.body,
        lenient,
        user: apiUser(request),
        requestId: request.id,
        idempotencyKey,
        onQuota: (state) => addRateLimit(reply, state),
        onLeftOut: (fields) => {
          warnings = toWarnings(fields);
        },
      });
      if (repeated) reply.header(REPLAYED_HEADER, 'true');
      return { ...route.ok(guides.map(toCreatedGuide)), ...warnings };
    });
  };
}

/** Names fields that were left out as the answer shows them. */
function toWarnings({ first, total }: ProblemList) {
  if (total === 0) return {};
  const advertencias = toDetails(httpErrors, first);
  return { advertencias, ...(total > first.length && { advertenciasTotal: total }) };
}
