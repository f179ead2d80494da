import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { DomainError, type ErrorCode } from '#shared/errors/domain-error.ts';
import { MAX_PACKAGES } from '#shared/guides/guide.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { KINDS, LABEL_KINDS, type LabelKind } from '#shared/labels/label-kinds.ts';
import { MEDIA_TYPES } from '#shared/labels/label-payload.ts';
import { pageCount } from '#shared/printing/label-job.ts';
import { auditForeignReads } from '../accounts/hooks/audit.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { findGuide } from '../guides/guide-access.ts';
import { recordAnswers } from '../guides/record-answers.ts';
import { GuideParams } from '../guides/schemas.ts';
import { fieldError } from '../http/body.ts';
import { ifNoneMatch, matches } from '../http/etags.ts';
import { operation } from '../http/operation.ts';
import { onResponseEnd } from '../http/response-end.ts';
import { addVary } from '../http/vary.ts';
import type { Reservation } from './admission.ts';
import { labelPayload } from './label-payload.ts';
import {
  cachingHeaders,
  callerOf,
  countLabelFailure,
  countLabels,
  fileContent,
  formatParameters,
  packagesOf,
  requestedFormat,
  type WantedPackages,
  wantedFormat,
} from './label-request.ts';
import type { LabelsContext } from './open.ts';

declare module 'fastify' {
  interface FastifyRequest {
    reservation?: Reservation;
  }
}

const answerHeaders = {
  'Content-Disposition': Type.String({ description: 'inline, con nombre de archivo' }),
  ETag: Type.String({ description: 'Cambia solo si cambia la etiqueta; cada formato tiene el suyo' }),
  Vary: Type.String({ description: 'El formato depende de Accept' }),
  'Cache-Control': Type.String({ description: 'private' }),
};
const responses = {
  200: {
    description: 'La etiqueta, en el formato que se pidió',
    headers: answerHeaders,
    content: fileContent,
  },
  304: {
    description: 'La etiqueta no ha cambiado',
    type: 'null',
    headers: { ETag: answerHeaders.ETag, Vary: answerHeaders.Vary },
  },
};
const errors: ErrorCode[] = [
  'format-not-acceptable',
  'guide-not-found',
  'guide-cancelled',
  'too-many-pages',
  'overloaded',
  'label-failed',
  'label-late',
];
const query = Type.Object(formatParameters);
/** Parameters of kinds with a page for each package. */
const packageQuery = Type.Object({
  ...formatParameters,
  paquetes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PACKAGES,
      description: 'Número de paquetes; si falta, los de la guía (Producto.Paquetes), o 1',
    }),
  ),
  paquete: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PACKAGES, description: 'Solo la página de este paquete' }),
  ),
});

function routeOf(kind: LabelKind) {
  const { operationId: id, summary, pagePerPackage } = KINDS[kind];
  return operation({
    id,
    summary,
    description:
      'El PDF es para cualquier impresora. PNG y ZPL son su imagen, punto por punto, de un bit por punto: ZPL para impresoras Zebra y compatibles, con todas las páginas; PNG, de una sola. Se piden con `formato`, o con `Accept`.',
    tag: 'Etiquetas',
    permission: 'guias.read',
    action: 'print',
    objective: true,
    errors: [...(pagePerPackage ? (['one-page-only'] as const) : []), ...errors],
    request: {
      params: GuideParams,
      querystring: pagePerPackage ? packageQuery : query,
      headers: ifNoneMatch,
    },
    ...(pagePerPackage && { invalid: { paquetes: 'packages-invalid', paquete: 'packages-invalid' } }),
    responses,
  });
}

/** `GET /api/guias/etiqueta/{guia}` and those of the other kinds (docs/contract.md "Labels"). */
export function labelRoutes(server: HttpServer, context: LabelsContext): void {
  server.addHook('onError', async (request, _reply, error) => countLabelFailure(context, request, error));
  server.addHook('onRequest', async (request, reply) => {
    const reservation = context.labels.reserve(apiUser(request).account);
    request.reservation = reservation;
    onResponseEnd(reply, reservation.end);
  });
  for (const kind of LABEL_KINDS) {
    const recording = recordAnswers(context, (request) => {
      const { params, query } = request as LabelRequest;
      return {
        asked: 'label',
        tipo: KINDS[kind].tipo,
        ...wantedFormat(request.headers, query),
        guides: [params.guia],
      };
    });
    server.get(`/api/guias/${KINDS[kind].path}/:guia`, { ...routeOf(kind), ...recording }, (request, reply) =>
      sendLabel(context, request, reply, kind),
    );
  }
}

type LabelRequest = FastifyRequest & {
  params: Static<typeof GuideParams>;
  query: Parameters<typeof requestedFormat>[1] & WantedPackages;
};

async function sendLabel(
  context: LabelsContext,
  request: LabelRequest,
  reply: FastifyReply,
  kind: LabelKind,
) {
  const { guides, labels } = context;
  const number = request.params.guia;
  const user = apiUser(request);
  const { format, image } = requestedFormat(request.headers, request.query);
  const guide = await findGuide(guides, number, user);
  if (guide.status === 'Cancelado') throw new DomainError('guide-cancelled');
  auditForeignReads(context, request, 'label.read-other', [guide]);
  const label = labelPayload(guide, { ...packagesOf(kind, guide, request.query), kind, image }, context);
  if (format === 'png' && pageCount(label) > 1) {
    throw fieldError('paquete', 'one-page-only', { limit: label.packages });
  }
  addVary(reply, 'Accept');
  const expected = cachingHeaders(labels.keyOf(label));
  if (matches(request.headers['if-none-match'], expected.etag))
    return reply.code(304).headers(expected).send();
  const caller = { ...callerOf(context, request, reply), reservation: request.reservation };
  const { key, bytes } = await labels.get(label, caller);
  countLabels(context, request, pageCount(label));
  const file = `guia-${number}${KINDS[kind].fileSuffix}.${format}`;
  return reply
    .type(MEDIA_TYPES[format])
    .headers({ ...cachingHeaders(key), 'content-disposition': `inline; filename="${file}"` })
    .send(bytes);
}
