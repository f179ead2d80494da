import { Type } from 'typebox';
import { MAX_PROBLEMS_AT_ONCE } from '#shared/errors/domain-error.ts';
import { toWarnings } from '#shared/http/http-errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { addRateLimit } from '../accounts/hooks/limit-requests.ts';
import { idempotencyHeader, idempotencyKeyOf, REPLAYED_HEADER } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import { describeHeaders } from '../http/responses.ts';
import { WARNINGS } from '../http/schemas.ts';
import { markdownTable } from '../http/tables.ts';
import { createGuides } from './create-guides.ts';
import { CREATED_EXAMPLE } from './examples.ts';
import { appliedHeader, GUIDE_ERRORS, lenientHeader, sentRequest } from './guide-bodies.ts';
import { GuideSummary, summaryOf } from './guide-summary.ts';
import type { GuidesContext } from './open.ts';
import { recordAnswers } from './record-answers.ts';
import { GuidesBody } from './schemas.ts';
import { validateGuides } from './validate-guides.ts';
import { WHEN_REPEATED, WHEN_TO_REPEAT, WHEN_TO_REPEAT_HEADS } from './when-to-repeat.ts';

const creation = operation({
  id: 'crearGuias',
  tag: 'Guias',
  summary: 'Crear una o varias guías',
  description: `Todas o ninguna: con una guía mal no se crea ninguna, y \`details\` nombra todo lo que está mal.\n\n${markdownTable(WHEN_TO_REPEAT_HEADS, WHEN_TO_REPEAT)}\n\n${WHEN_REPEATED}\n\n`,
  permission: 'guias.create',
  action: 'create',
  objective: true,
  request: {
    body: GuidesBody,
    headers: Type.Object({
      'idempotency-key': idempotencyHeader,
      prefer: lenientHeader,
    }),
  },
  // The contract fixes the order of the checks and the words for each; `createGuides` validates with the same schema.
  validatedBy: 'handler',
  errors: [
    ...GUIDE_ERRORS,
    'too-many-guides-today',
    'idempotency-key-invalid',
    'idempotency-key-reused',
    'result-unknown',
  ],
  data: {
    name: 'GuiasCreadas',
    message: (created) => `Guias creadas: ${created.length}`,
    schema: Type.Array(GuideSummary),
    beside: WARNINGS,
    headers: {
      ...describeHeaders({
        [REPLAYED_HEADER]: 'true: las guías son de una solicitud anterior con la misma Idempotency-Key',
      }),
      ...appliedHeader,
    },
    example: [CREATED_EXAMPLE],
  },
});

function creationRoute(server: HttpServer, context: GuidesContext): void {
  const recording = recordAnswers(context, () => ({ asked: 'creation' }));
  server.post('/api/guias/crear', { ...creation, ...recording }, async (request, reply) => {
    const sent = { ...sentRequest(request, reply), idempotencyKey: idempotencyKeyOf(request) };
    const { guides, repeated, limit, warnings } = await createGuides(context, sent);
    request.madeGuides = guides.map(({ _id }) => _id);
    if (limit) addRateLimit(reply, limit);
    if (repeated) reply.header(REPLAYED_HEADER, 'true');
    return { ...creation.ok(guides.map(summaryOf)), ...toWarnings(context.errorTable, warnings) };
  });
}

const validation = operation({
  id: 'validarGuias',
  tag: 'Guias',
  summary: 'Validar guías sin crearlas',
  description:
    'Toma el cuerpo de `crear`, hace las mismas revisiones y no guarda nada. El error es el de `crear`, y `details` nombra todo ' +
    `de una vez, hasta ${MAX_PROBLEMS_AT_ONCE} problemas: campos, destinos y cotizaciones. No cuenta en la cuota de guías.`,
  permission: 'guias.create',
  action: 'read',
  request: { body: GuidesBody, headers: Type.Object({ prefer: lenientHeader }) },
  validatedBy: 'handler',
  errors: [...GUIDE_ERRORS],
  data: {
    name: 'GuiasValidas',
    message: (valid) => `Guias validas: ${valid.length}`,
    schema: Type.Array(
      Type.Object(
        {
          indice: Type.Integer({ description: "Posición en 'Guia', desde 0" }),
          SEND_SUCU_ORIG: Type.String({ description: 'Sucursal de origen', examples: ['MEX01'] }),
          SEND_SUCU_DEST: Type.String({ description: 'Sucursal de destino', examples: ['MTY01'] }),
          SEND_FLETE: Type.Optional(
            Type.Number({ description: 'MXN; si la guía tiene `Cotizacion`, o su cuenta cotiza al crear' }),
          ),
          SEND_TOTAL: Type.Optional(
            Type.Number({ description: 'MXN; si la guía tiene `Cotizacion`, o su cuenta cotiza al crear' }),
          ),
        },
        { title: 'GuiaValida', description: 'Una guía que se puede crear' },
      ),
    ),
    beside: WARNINGS,
    headers: appliedHeader,
    example: [{ indice: 0, SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'MTY01' }],
  },
});

function validationRoute(server: HttpServer, context: GuidesContext): void {
  server.post('/api/guias/validar', validation, async (request, reply) => {
    const sent = sentRequest(request, reply);
    const { origin, destinations, prices, warnings } = await validateGuides(context, sent);
    const valid = destinations.map((destination, indice) => {
      const price = prices[indice];
      const quoted = price && 'quote' in price && { SEND_FLETE: price.freight, SEND_TOTAL: price.total };
      return { indice, SEND_SUCU_ORIG: origin.Codigo, SEND_SUCU_DEST: destination.branch.Codigo, ...quoted };
    });
    return { ...validation.ok(valid), ...toWarnings(context.errorTable, warnings) };
  });
}

/** `POST /api/guias/crear`, and `/api/guias/validar`, which only checks (docs/contract.md "Guides"). */
export function creationRoutes(server: HttpServer, context: GuidesContext): void {
  creationRoute(server, context);
  validationRoute(server, context);
}
