import type { Static } from 'typebox';
import type { ListedGuide } from '#api/guides/guide-list.ts';
import type { GuideRecord } from '#api/guides/guide-store.ts';
import type { CompleteGuide, CreatedGuide } from './schemas.ts';

/** Writes a guide as the answer to its creation shows it (docs/contract.md "Guides"). */
export function toCreatedGuide(record: ListedGuide): Static<typeof CreatedGuide> {
  const { Remitente, Destinatario, Referencia } = record.guide;
  return {
    SEND_GUIA: record.number,
    SEND_SUCU_ORIG: record.origin.code,
    SEND_SUCU_DEST: record.destination.code,
    SEND_ESTATUS: record.status,
    SEND_FECHA: record.createdAt,
    SEND_REMITENTE: Remitente.Nombre,
    SEND_DESTINATARIO: Destinatario.Nombre,
    SEND_FLETE: record.freight,
    SEND_TOTAL: record.total,
    ...(Referencia !== undefined && { Referencia }),
  };
}

/** Writes a guide with all its fields, as stored (docs/contract.md "Guides"). */
export function toCompleteGuide(record: GuideRecord): Static<typeof CompleteGuide> {
  const { Remitente, Destinatario, Producto, Creado_por } = record.guide;
  return {
    ...toCreatedGuide(record),
    TipoServicio: record.service,
    Remitente,
    Destinatario,
    Producto,
    Creado_por,
  };
}
