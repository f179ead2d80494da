import type { AuditEvent } from '#shared/audit/audit-store.ts';
import { aligned } from '../accounts/report.ts';

/** Formats events as a table, with times in UTC. */
export function auditTable(events: readonly AuditEvent[]): string {
  const rows = events.map(({ at, action, actor, address, outcome, subject, details = {} }) => [
    at.toISOString().slice(0, 19),
    action,
    printable(actor),
    printable(address ?? '-'),
    outcome,
    printable(subject ?? '-'),
    printable(
      Object.entries(details)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ') || '-',
    ),
  ]);
  return aligned([['FECHA (UTC)', 'ACCION', 'USUARIO', 'DESDE', 'RESULTADO', 'SOBRE', 'DETALLES'], ...rows]);
}

/** Some texts come from clients and from command lines; a terminal would obey their control characters. */
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '?');
}
