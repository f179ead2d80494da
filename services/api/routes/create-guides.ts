import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { DomainError, MAX_PROBLEMS, type ProblemList } from '#shared/errors/domain-error.ts';
import { toDetails } from '#shared/http/http-errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { type ApiErrorCode, httpErrors } from '../errors.ts';
import { createGuides, type ValidationRequest, validateGuides } from '../guides/create-guides.ts';
import { KEY_PATTERN } from '../guides/creation-journal.ts';
import { GuideSummary, summaryOf } from '../guides/guide-summary.ts';
import { addRateLimit } from '../hooks/account-quota.ts';
import { abortSignalOf, apiUser } from '../hooks/authenticate.ts';
import { CREATED_EXAMPLE } from '../openapi/examples.ts';
import { BODY_ERRORS, operation } from '../openapi/operation.ts';
import { describeHeaders } from '../openapi/responses.ts';
import { GuideRequest, Problem } from '../openapi/schemas.ts';
import {
  markdownTable,
  WHEN_REPEATED,
  WHEN_TO_REPEAT,
  WHEN_TO_REPEAT_HEADS,
} from '../openapi/when-to-repeat.ts';

const lenientHeader = Type.Optional(
  Type.String({
    description:
      '`handling=lenient` (RFC 7240): los campos desconocidos se omiten y se nombran en `advertencias`; ' +
      'la respuesta lleva `Preference-Applied: handling=lenient`.',
    examples: ['handling=lenient'],
  }),
);

const appliedHeader = describeHeaders({
  'Preference-Applied': 'handling=lenient: los campos desconocidos se omitieron',
});

/** Errors of guides and of their body. */
const GUIDE_ERRORS = [
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
] as const satisfies ApiErrorCode[];

const warnings = {
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

/** Marks the repeated answer of an earlier request (draft-ietf-httpapi-idempotency-key-header). */
const REPLAYED_HEADER = 'Idempotent-Replayed';

const creation = operation({
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
            'Nombre de esta solicitud, del cliente. Repetida con el mismo contenido dentro de siete días da la misma respuesta y no crea nada.',
        }),
      ),
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

function creationRoute(server: HttpServer): void {
  server.post('/api/guias/crear', creation, async (request, reply) => {
    const idempotencyKey = request.headers['idempotency-key'];
    if (idempotencyKey !== undefined && !VALID_KEY.test(idempotencyKey)) {
      throw new DomainError('idempotency-key-invalid');
    }
    const sent = { ...readGuides(request, reply), idempotencyKey };
    const { guides, repeated, quota, warnings } = await createGuides(server, sent);
    if (quota) addRateLimit(reply, quota);
    if (repeated) reply.header(REPLAYED_HEADER, 'true');
    return { ...creation.ok(guides.map(summaryOf)), ...toWarnings(warnings) };
  });
}
const VALID_KEY = new RegExp(KEY_PATTERN);

const validation = operation({
  id: 'validarGuias',
  tag: 'Guias',
  summary: 'Validar guías sin crearlas',
  description:
    'Toma el cuerpo de `crear`, hace las mismas revisiones con los mismos errores, y no guarda nada. No cuenta en la cuota de guías.',
  permission: 'guias.create',
  request: { body: GuideRequest, headers: Type.Object({ prefer: lenientHeader }) },
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
        },
        { title: 'GuiaValida', description: 'Una guía que se puede crear' },
      ),
    ),
    beside: warnings,
    headers: appliedHeader,
    example: [{ indice: 0, SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'MTY01' }],
  },
});

function validationRoute(server: HttpServer): void {
  server.post('/api/guias/validar', validation, async (request, reply) => {
    const sent = readGuides(request, reply);
    const { origin, destinations, warnings } = await validateGuides(server.branches, sent);
    const valid = destinations.map(({ code }, indice) => ({
      indice,
      SEND_SUCU_ORIG: origin.code,
      SEND_SUCU_DEST: code,
    }));
    return { ...validation.ok(valid), ...toWarnings(warnings) };
  });
}

/** `POST /api/guias/crear`, and `/api/guias/validar`, which only checks (docs/contract.md "Guides"). */
export async function creationRoutes(server: HttpServer): Promise<void> {
  creationRoute(server);
  validationRoute(server);
}

function readGuides(request: FastifyRequest, reply: FastifyReply): ValidationRequest {
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

function toWarnings({ first, total }: ProblemList) {
  if (total === 0) return {};
  const advertencias = toDetails(httpErrors, first);
  return { advertencias, ...(total > first.length && { advertenciasTotal: total }) };
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
