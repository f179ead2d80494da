import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { auditForeignReads } from '../accounts/hooks/audit.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { findGuide } from '../guides/guide-access.ts';
import { GuideParams } from '../guides/schemas.ts';
import { ifNoneMatch } from '../http/etags.ts';
import { operation } from '../http/operation.ts';
import { describeHeaders } from '../http/responses.ts';
import { documentResponses, sendDocument } from '../labels/document-route.ts';
import { countLabelFailure } from '../labels/label-request.ts';
import type { EvidenceContext } from './open.ts';
import { proofPayload } from './proof.ts';
import { listEvidence, readPicture } from './read-evidence.ts';
import { EVIDENCE_EXAMPLE, EventParam, ListedEvidence, PictureParam, shownEvidence } from './schemas.ts';

const FOREIGN =
  'Es de la cuenta de la guía. De otras cuentas la ve quien tiene además `soporte.personas` o `guias.read.all`, y queda registrado.';

const listing = operation({
  id: 'listarEvidencia',
  tag: 'Evidencia',
  summary: 'Qué firmas y fotos tiene una guía',
  description: `Por la hora de sus eventos, también las de eventos anulados. ${FOREIGN}`,
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request: { params: GuideParams },
  errors: ['guide-not-found'],
  data: {
    name: 'EvidenciaDeGuia',
    message: (pictures) => `Imagenes: ${pictures.length}`,
    schema: Type.Array(ListedEvidence),
    example: [EVIDENCE_EXAMPLE],
  },
});

const reading = operation({
  id: 'obtenerEvidencia',
  tag: 'Evidencia',
  summary: 'Una firma o foto',
  description: `Un JPEG. No hay direcciones que sirvan sin token. ${FOREIGN}`,
  permission: 'guias.read',
  action: 'evidence',
  readsMany: true,
  request: { params: Type.Object({ ...GuideParams.properties, Id: EventParam, imagen: PictureParam }) },
  errors: ['guide-not-found', 'picture-not-found'],
  responses: {
    200: {
      description: 'La imagen',
      headers: describeHeaders({
        'Content-Disposition': 'inline, con nombre de archivo',
        'Cache-Control': 'private, no-store',
      }),
      content: { 'image/jpeg': { schema: Type.String({ format: 'binary' }) } },
    },
  },
});

const proving = operation({
  id: 'imprimirComprobante',
  tag: 'Evidencia',
  summary: 'El comprobante de entrega en PDF',
  description: `Una carta: cuándo, dónde y quién recibió, con la firma y las fotos; hasta ocho imágenes, las firmas primero. Lo anulado no sale. ${FOREIGN}`,
  permission: 'guias.read',
  action: 'evidence',
  readsMany: true,
  request: { params: GuideParams, headers: ifNoneMatch },
  errors: [
    ...(['guide-not-found', 'not-delivered', 'picture-not-found'] as const),
    ...(['too-many-pages', 'overloaded', 'label-failed', 'label-late'] as const),
  ],
  responses: documentResponses('El comprobante'),
});

type GuideRequest = FastifyRequest & { params: Static<typeof GuideParams> };

/** Returns the guide of a request, and records it if it is another account's. */
async function guideOf(context: EvidenceContext, request: GuideRequest) {
  const guide = await findGuide(context.guides, request.params.guia, apiUser(request), 'soporte.personas');
  auditForeignReads(context, request, 'guide.read-other', [guide]);
  return guide;
}

/** `/api/guias/{guia}/evidencia` and `/comprobante` (docs/contract.md "Evidence"). */
export function evidenceRoutes(server: HttpServer, context: EvidenceContext): void {
  server.get('/api/guias/:guia/evidencia', listing, async (request) => {
    const { _id } = await guideOf(context, request);
    return listing.ok((await listEvidence(context, _id)).map(shownEvidence));
  });

  server.get('/api/guias/:guia/evidencia/:Id/:imagen', reading, async (request, reply) => {
    const { Id, imagen } = request.params;
    const { _id } = await guideOf(context, request);
    const listed = await listEvidence(context, _id);
    const wanted = listed.find(({ event, picture }) => event.Id === Id && picture === imagen);
    const bytes = await readPicture(context, wanted, 'whole');
    return reply
      .type('image/jpeg')
      .headers({
        'cache-control': 'private, no-store',
        'content-disposition': `inline; filename="guia-${_id}-${imagen}.jpg"`,
      })
      .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  });

  server.get('/api/guias/:guia/comprobante', proving, (request, reply) => sendProof(context, request, reply));
}

async function sendProof(context: EvidenceContext, request: GuideRequest, reply: FastifyReply) {
  const guide = await guideOf(context, request);
  const payload = await proofPayload(context, guide);
  const name = `comprobante-${guide._id}`;
  return sendDocument(context, request, reply, { payload, name }).catch((error: Error) => {
    countLabelFailure(context, request, error);
    throw error;
  });
}
