import { DomainError } from '../../../../../shared/errors.ts';
import { type HttpServer, ok } from '../../../../../shared/http-server.ts';
import { apiUser } from '../../../auth/authenticate.ts';
import type { CreateGuides } from '../../../guides/create-guides.ts';
import type { GuideRecord } from '../../../guides/guide-store.ts';

/** `POST /api/guias/crear` (specification, same heading). */
export function createRoute(create: CreateGuides) {
  return async (server: HttpServer) => {
    server.post('/crear', { config: { permission: 'guias.create' } }, async (request) => {
      const key = idempotencyKey(request.headers['idempotency-key']);
      const created = await create(request.body, apiUser(request), request.id, key);
      return ok(`Guias creadas: ${created.length}`, created.map(toWire));
    });
  };
}

/** Contract, "Guides": 1 to 255 visible characters; optional. */
function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new DomainError('idempotency-key-invalid');
}

/** Specification, "Created guide record". */
function toWire(record: GuideRecord) {
  return {
    SEND_GUIA: record.number,
    SEND_SUCU_ORIG: record.origin.code,
    SEND_SUCU_DEST: record.destination.code,
    SEND_ESTATUS: record.status,
    SEND_FECHA: record.createdAt,
    SEND_REMITENTE: record.guide.Remitente.Nombre,
    SEND_DESTINATARIO: record.guide.Destinatario.Nombre,
    SEND_FLETE: record.freight,
    SEND_TOTAL: record.total,
  };
}
