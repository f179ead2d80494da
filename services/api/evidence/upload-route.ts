import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { DomainError } from '#shared/errors/domain-error.ts';
import { isPictureName, MAX_SENT_BYTES } from '#shared/evidence/evidence.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { GuideParams } from '../guides/schemas.ts';
import { operation } from '../http/operation.ts';
import { abortSignalOf, onResponseEnd } from '../http/response-end.ts';
import { keepEvidence } from './keep-evidence.ts';
import type { EvidenceContext } from './open.ts';
import { EventParam, PictureParam } from './schemas.ts';

const TYPES = ['image/jpeg', 'image/png', 'image/webp'];

const uploading = operation({
  id: 'guardarEvidencia',
  tag: 'Evidencia',
  summary: 'Guardar la firma o una foto de un evento',
  description:
    'De un `Entregado`, una `Incidencia` o un `Devuelto` que ya se registró, de una guía de cualquier cuenta. El cuerpo son los bytes de la imagen. ' +
    'Se guarda como JPEG de hasta 1600 pixeles por lado, sin metadatos. Mandar la misma otra vez da la misma respuesta; una guardada no cambia. ' +
    'Después, la guía tiene un evento más, `Evidencia`.',
  permission: 'eventos.create',
  action: 'evidence',
  consumes: TYPES,
  // Uploads have turns of their own.
  largeBytes: Infinity,
  request: {
    params: Type.Object({ ...GuideParams.properties, Id: EventParam, imagen: PictureParam }),
    body: Type.Unsafe<Buffer>({ type: 'string', format: 'binary', description: 'La imagen, de hasta 2 MiB' }),
  },
  validatedBy: 'handler',
  errors: [
    ...(['guide-not-found', 'guide-is-test', 'event-not-found', 'event-without-evidence'] as const),
    ...(['picture-not-found', 'picture-conflict', 'guide-events-full', 'too-many-pictures'] as const),
    ...(['picture-type', 'picture-too-large', 'picture-too-wide', 'picture-cut'] as const),
    ...(['picture-unreadable', 'overloaded', 'events-unknown'] as const),
  ],
  data: {
    name: 'EvidenciaGuardada',
    message: 'Evidencia guardada',
    schema: Type.Object(
      {
        Evento: Type.String({ description: '`Id` del evento' }),
        Imagen: PictureParam,
        Ancho: Type.Integer({ description: 'De lo que se guardó, en pixeles' }),
        Alto: Type.Integer({ description: 'De lo que se guardó, en pixeles' }),
        Bytes: Type.Integer({ description: 'Del JPEG que se guardó' }),
      },
      { title: 'EvidenciaGuardada', description: 'Lo que se guardó' },
    ),
    example: { Evento: 'MTY01-000123', Imagen: 'firma', Ancho: 720, Alto: 288, Bytes: 14_210 },
  },
});

/** `PUT /api/eventos/{guia}/{Id}/evidencia/{imagen}` (docs/contract.md "Evidence"). */
export function uploadRoute(server: HttpServer, context: EvidenceContext): void {
  readPictures(server);
  takeTurns(server, context);
  server.put('/api/eventos/:guia/:Id/evidencia/:imagen', uploading, async (request) => {
    const { guia: guide, Id: event, imagen: picture } = request.params;
    if (!isPictureName(picture)) throw new DomainError('picture-not-found');
    const sent = { guide, event, picture, bytes: request.body ?? Buffer.alloc(0) };
    const kept = await keepEvidence(context, sent, apiUser(request));
    return uploading.ok({
      ...{ Evento: event, Imagen: picture },
      ...{ Ancho: kept.width, Alto: kept.height, Bytes: kept.bytes },
    });
  });
}

/** Reads bodies of pictures as bytes. What they are, their first bytes say. */
function readPictures(server: HttpServer): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(TYPES, (_request: FastifyRequest, payload: IncomingMessage) =>
    bytesOf(payload),
  );
  server.addContentTypeParser('*', async () => {
    throw new DomainError('picture-type');
  });
}

/** @throws DomainError `picture-too-large`, `bad-request` for a body that breaks off. */
async function bytesOf(payload: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received = 0;
  try {
    // The answer needs the connection.
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      received += chunk.length;
      if (received > MAX_SENT_BYTES) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new DomainError('bad-request', { cause });
  }
  if (received > MAX_SENT_BYTES) throw new DomainError('picture-too-large');
  return Buffer.concat(chunks);
}

/** Gives an upload its turn before its body is read. It ends with the answer. */
function takeTurns(server: HttpServer, { uploadTurns }: EvidenceContext): void {
  server.addHook('onRequest', async (request, reply) => {
    const { headers } = request;
    // A body of unknown length may be as large as any.
    const bytes = 'transfer-encoding' in headers ? MAX_SENT_BYTES : Number(headers['content-length'] ?? 0);
    if (bytes > MAX_SENT_BYTES) throw new DomainError('picture-too-large');
    const end = await uploadTurns.take(bytes, abortSignalOf(reply));
    onResponseEnd(reply, end);
  });
}
