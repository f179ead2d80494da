import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { MAX_GUIDES } from '#shared/guides/guide.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { isTestManifest, MANIFEST_NUMBER } from '#shared/manifests/manifest.ts';
import type { Manifest, ManifestHead } from '#shared/manifests/manifest-model.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import type { CurrentState } from '../guides/guide-store.ts';
import { ifNoneMatch } from '../http/etags.ts';
import { idempotencyHeader, idempotencyKeyOf, REPLAYED_HEADER } from '../http/idempotency.ts';
import { BODY_ERRORS, operation } from '../http/operation.ts';
import { describeHeaders } from '../http/responses.ts';
import { listParameters, NextCursor } from '../http/schemas.ts';
import { documentResponses, sendDocument } from '../labels/document-route.ts';
import { countLabelFailure } from '../labels/label-request.ts';
import { createManifest } from './create-manifest.ts';
import type { ManifestsContext } from './open.ts';
import { listManifests, manifestPayload, readManifest } from './read-manifests.ts';
import { CompleteManifest, LISTED_EXAMPLES, MANIFEST_EXAMPLE, ManifestSummary } from './schemas.ts';

const params = Type.Object({
  manifiesto: Type.String({
    pattern: MANIFEST_NUMBER,
    description: 'Número del manifiesto',
    examples: ['M48291365074'],
  }),
});

const creation = operation({
  id: 'crearManifiesto',
  tag: 'Manifiestos',
  summary: 'Hacer el manifiesto de lo que se entrega',
  description:
    'De las guías que se nombran, de una misma sucursal de origen. Con `{}`, de todas las de la sucursal del usuario que están ' +
    `Documentado, sin manifiesto y con siete días o menos; si son más de ${MAX_GUIDES}, de las más viejas, y la respuesta trae \`QuedanGuias\`. ` +
    'Una guía está en un solo manifiesto, y la lista de un manifiesto no cambia.',
  permission: 'guias.create',
  action: 'manifest',
  readsMany: true,
  request: {
    body: Type.Object(
      {
        Guias: Type.Optional(
          Type.Array(Type.String({ description: 'Número de guía (SEND_GUIA)' }), {
            minItems: 1,
            maxItems: MAX_GUIDES,
            description: 'Números de guía, en el orden de la lista; si falta, todas las que esperan',
            examples: [['390458235877', '482913650724']],
          }),
        ),
      },
      {
        title: 'SolicitudDeManifiesto',
        description: 'Guías que se entregan juntas',
        additionalProperties: false,
        'x-examples': {
          todas: { summary: 'Todas las que esperan', value: {} },
          algunas: { summary: 'Las que se nombran', value: { Guias: ['390458235877', '482913650724'] } },
        },
      },
    ),
    headers: Type.Object({ 'idempotency-key': idempotencyHeader }),
  },
  validatedBy: 'handler',
  errors: [
    ...(['invalid-json', 'numbers-missing', 'numbers-empty', 'too-many-guides'] as const),
    ...(['field-type', 'field-unknown', 'guide-not-found', 'origin-unassigned'] as const),
    ...(['guide-in-manifest', 'guide-cancelled', 'guide-travelling'] as const),
    ...(['guide-of-other-branch', 'guide-repeated', 'nothing-to-hand-over'] as const),
    ...(['idempotency-key-invalid', 'idempotency-key-reused', 'manifest-unknown'] as const),
    ...BODY_ERRORS,
  ],
  data: {
    name: 'ManifiestoCreado',
    message: 'Manifiesto creado',
    schema: CompleteManifest,
    headers: describeHeaders({
      [REPLAYED_HEADER]: 'true: el manifiesto es de una solicitud anterior con la misma Idempotency-Key',
    }),
    example: { ...MANIFEST_EXAMPLE, Detalle: [...LISTED_EXAMPLES] },
  },
});

function creationRoute(server: HttpServer, context: ManifestsContext): void {
  server.post('/api/manifiestos', creation, async (request, reply) => {
    const { manifest, repeated } = await createManifest(context, {
      body: request.body,
      user: apiUser(request),
      idempotencyKey: idempotencyKeyOf(request),
    });
    if (repeated) reply.header(REPLAYED_HEADER, 'true');
    return creation.ok(completeOf(manifest));
  });
}

const listing = operation({
  id: 'listarManifiestos',
  tag: 'Manifiestos',
  summary: 'Listar los manifiestos de la cuenta',
  description:
    'Del más nuevo al más viejo, como las guías: siga con `cursor` igual a `siguiente` hasta que sea null.',
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request: {
    querystring: Type.Object(listParameters('Manifiestos')),
  },
  data: {
    name: 'Manifiestos',
    message: (manifests) => `Manifiestos: ${manifests.length}`,
    schema: Type.Array(ManifestSummary),
    beside: { siguiente: NextCursor },
    example: [MANIFEST_EXAMPLE],
  },
});

function listRoute(server: HttpServer, context: ManifestsContext): void {
  server.get('/api/manifiestos', listing, async (request) => {
    const { account } = apiUser(request);
    const { manifests, cursor } = await listManifests(context.manifests, account, request.query);
    return { ...listing.ok(manifests.map(headOf)), siguiente: cursor };
  });
}

const reading = operation({
  id: 'obtenerManifiesto',
  tag: 'Manifiestos',
  summary: 'Obtener un manifiesto con sus guías',
  description: 'De cada guía dice el estatus de ahora: una que se cancela después sigue en la lista.',
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request: { params },
  errors: ['manifest-not-found'],
  data: {
    name: 'Manifiesto',
    message: 'Manifiesto encontrado',
    schema: CompleteManifest,
    example: {
      ...MANIFEST_EXAMPLE,
      Canceladas: 0,
      Detalle: LISTED_EXAMPLES.map((guide) => ({ ...guide, SEND_ESTATUS: 'Recolectado' as const })),
    },
  },
});

function readingRoute(server: HttpServer, context: ManifestsContext): void {
  server.get('/api/manifiestos/:manifiesto', reading, async (request) => {
    const { manifest, states } = await readManifest(
      context,
      request.params.manifiesto,
      apiUser(request).account,
    );
    return reading.ok(completeOf(manifest, states));
  });
}

const printing = operation({
  id: 'imprimirManifiesto',
  tag: 'Manifiestos',
  summary: 'El manifiesto en PDF, para firma y sello',
  description:
    'Una carta: sus guías sin nombres, los totales, y lugar para firmas y sello. Una guía que se canceló después sale como CANCELADA.',
  permission: 'guias.read',
  action: 'print',
  readsMany: true,
  request: {
    params,
    headers: ifNoneMatch,
  },
  errors: ['manifest-not-found', 'too-many-pages', 'overloaded', 'label-failed', 'label-late'],
  responses: documentResponses('El manifiesto'),
});

type PdfRequest = FastifyRequest & { params: Static<typeof params> };

function printingRoute(server: HttpServer, context: ManifestsContext): void {
  server.addHook('onError', async (request, _reply, error) => countLabelFailure(context, request, error));
  server.get('/api/manifiestos/:manifiesto/pdf', printing, (request, reply) =>
    sendPdf(context, request, reply),
  );
}

async function sendPdf(context: ManifestsContext, request: PdfRequest, reply: FastifyReply) {
  const { manifest, states } = await readManifest(
    context,
    request.params.manifiesto,
    apiUser(request).account,
  );
  const payload = manifestPayload(manifest, states, context.labelSettings);
  return sendDocument(context, request, reply, { payload, name: `manifiesto-${manifest._id}` });
}

/** `/api/manifiestos` (docs/contract.md "Manifests"). */
export async function manifestRoutes(server: HttpServer, context: ManifestsContext): Promise<void> {
  creationRoute(server, context);
  listRoute(server, context);
  readingRoute(server, context);
  await server.register(async (scope) => printingRoute(scope, context));
}

function headOf({ _id, createdAt, origin, totals }: ManifestHead): Static<typeof ManifestSummary> {
  return {
    Manifiesto: _id,
    Fecha: createdAt,
    SEND_SUCU_ORIG: origin.code,
    Guias: totals.guides,
    Paquetes: totals.packages,
    Peso: totals.weight,
    ...(totals.cod !== undefined && { Cobro: totals.cod }),
    ...(isTestManifest(_id) && { Prueba: true as const }),
  };
}

/** @param states of the guides now; absent in the answer to a creation, which a repeated request gets again. */
function completeOf(
  manifest: Manifest,
  states?: ReadonlyMap<string, CurrentState>,
): Static<typeof CompleteManifest> {
  const statuses = manifest.guides.map(({ number }) => states?.get(number)?.status);
  return {
    ...headOf(manifest),
    ...(manifest.more && { QuedanGuias: true as const }),
    ...(states && { Canceladas: statuses.filter((status) => status === 'Cancelado').length }),
    Detalle: manifest.guides.map(({ number, service, destination, packages, weight, cod }) => {
      const { status, route } = states?.get(number) ?? {};
      return {
        SEND_GUIA: number,
        TipoServicio: service,
        SEND_SUCU_DEST: destination,
        ...(route && { Ruta: route }),
        Paquetes: packages,
        ...(cod !== undefined && { Cobro: cod }),
        ...(weight !== undefined && { Peso: weight }),
        ...(status && { SEND_ESTATUS: status }),
      };
    }),
  };
}
