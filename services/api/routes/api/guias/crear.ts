import { type HttpServer, ok } from '../../../../../shared/http-server.ts';
import { apiUser } from '../../../auth/authenticate.ts';
import type { CreateGuides } from '../../../guides/create-guides.ts';
import type { GuideRecord } from '../../../guides/guide-store.ts';

/** `POST /api/guias/crear` (specification, same heading). */
export function createRoute(create: CreateGuides) {
  return async (server: HttpServer) => {
    server.post('/crear', { config: { permission: 'guias.create' } }, async (request) => {
      const created = await create(request.body, apiUser(request), request.id);
      return ok(`Guias creadas: ${created.length}`, created.map(toWire));
    });
  };
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
