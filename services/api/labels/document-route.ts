import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { PrintPayload } from '#shared/printing/label-job.ts';
import { matches } from '../http/etags.ts';
import { describeHeaders } from '../http/responses.ts';
import { cachingHeaders, callerOf } from './label-request.ts';
import type { Labels } from './open.ts';

/** Describes the answers of `sendDocument`. */
export function documentResponses(description: string) {
  return {
    200: {
      description,
      headers: describeHeaders({
        'Content-Disposition': 'inline, con nombre de archivo',
        ETag: 'Cambia solo si cambia el PDF',
        'Cache-Control': 'private',
      }),
      content: { 'application/pdf': { schema: Type.String({ format: 'binary' }) } },
    },
    304: {
      description: 'El PDF no ha cambiado',
      type: 'null',
      headers: describeHeaders({ ETag: 'El del PDF' }),
    },
  };
}

/**
 * Answers with the PDF of a room's document, or with 304 if the client has it.
 *
 * @param name of the file, without its ending.
 * @throws DomainError as `labels.get`.
 */
export async function sendDocument(
  context: Labels,
  request: FastifyRequest,
  reply: FastifyReply,
  { payload, name }: { payload: PrintPayload; name: string },
) {
  const { labels } = context;
  const expected = cachingHeaders(labels.keyOf(payload));
  if (matches(request.headers['if-none-match'], expected.etag)) {
    return reply.code(304).headers(expected).send();
  }
  const { key, bytes } = await labels.get(payload, callerOf(context, request, reply));
  return reply
    .type('application/pdf')
    .headers({ ...cachingHeaders(key), 'content-disposition': `inline; filename="${name}.pdf"` })
    .send(bytes);
}
