import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type LabelPayload, labelKey, MAX_PACKAGES } from '#shared/contracts/label-job.ts';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { FindGuide } from '../../../guides/find-guide.ts';
import type { LabelClient } from '../../../labels/label-client.ts';
import { type LabelSettings, labelPayload } from '../../../labels/label-payload.ts';
import { apiUser } from '../../../plugins/authenticate.ts';
import { describe, type ErrorCode } from '../../operation.ts';

const permission = 'guias.read';
const config = { permission } as const;
const params = Type.Object({
  guia: Type.String({ description: 'Número de guía (SEND_GUIA)', examples: ['390458235877'] }),
});
const querystring = Type.Object({
  paquetes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PACKAGES, default: 1, description: 'Número de paquetes' }),
  ),
});

function documentation(id: string, summary: string, errors: ErrorCode[]) {
  const described = describe({ id, tag: 'Etiquetas', summary, permission, errors });
  const headers = {
    'Content-Disposition': Type.String({ description: 'inline, con nombre de archivo' }),
    ETag: Type.String({ description: 'Cambia solo si cambia la etiqueta' }),
    'Cache-Control': Type.String({ description: 'private' }),
  };
  const pdf = Type.String({ format: 'binary' });
  return {
    ...described,
    headers: Type.Object({
      'if-none-match': Type.Optional(Type.String({ description: 'ETag que ya se tiene: responde 304' })),
    }),
    response: {
      200: { description: 'PDF', headers, content: { 'application/pdf': { schema: pdf } } },
      304: { description: 'La etiqueta no ha cambiado', type: 'null', headers: { ETag: headers.ETag } },
      ...(described as { response: object }).response,
    },
  };
}
const letter = documentation('etiqueta', 'Etiqueta carta, con QR de rastreo', [
  'guide-not-found',
  'label-failed',
]);
const small = documentation('etiquetaPequena', 'Etiqueta de 10 × 10 cm, una página por paquete', [
  'guide-not-found',
  'packages-invalid',
  'label-failed',
]);

/** `GET /api/guias/etiqueta/{guia}` and `/etiqueta-pequena/{guia}` (docs/contract.md "Labels"). */
export function labelRoutes(findGuide: FindGuide, labels: LabelClient, settings: LabelSettings) {
  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    number: string,
    kind: LabelPayload['kind'],
    packages: number,
  ) {
    labels.admit();
    const guide = await findGuide(number, apiUser(request));
    const label = labelPayload(guide, kind, packages, settings);
    const etag = `"${labelKey(label)}"`;
    reply.headers({ etag, 'cache-control': 'private' });
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const { pdf } = await labels.print(label, request.id);
    return reply
      .type('application/pdf')
      .header('content-disposition', `inline; filename="guia-${number}.pdf"`)
      .send(pdf);
  }

  return async (server: HttpServer) => {
    server.get('/etiqueta/:guia', { config, schema: { params, ...letter } }, (request, reply) =>
      send(request, reply, request.params.guia, 'letter', 1),
    );
    server.get(
      '/etiqueta-pequena/:guia',
      { config, schema: { params, querystring, ...small } },
      (request, reply) =>
        send(request, reply, request.params.guia, 'small', packageCount(request.query.paquetes)),
    );
  };
}

/** @param paquetes as the query has it: text, or an array where it is given twice. */
function packageCount(paquetes: unknown = '1'): number {
  const count = typeof paquetes === 'string' && /^[0-9]{1,2}$/.test(paquetes) ? Number(paquetes) : 0;
  if (count >= 1 && count <= MAX_PACKAGES) return count;
  const message = `paquetes debe ser un numero entero de 1 a ${MAX_PACKAGES}`;
  throw new DomainError('packages-invalid', { details: [{ campo: 'paquetes', message }] });
}

/** RFC 9110, 13.1.2: a list of tags, weak or not, or `*`. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
