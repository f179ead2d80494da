import type { Command } from 'commander';
import { AUDIT_DAYS, type AuditEvent, AuditStore } from '#shared/audit/audit-store.ts';
import { type Run, UsageError } from '#shared/commands/run-command-line.ts';
import { aligned } from '#shared/commands/terminal.ts';
import { example, parseInteger } from './command-line.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;
const HOUR_MS = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS };
const MOMENT_RULE = 'YYYY-MM-DD, YYYY-MM-DDTHH:mm (UTC), o hace cuanto: 15m, 24h, 7d';

export function addAuditCommand(program: Command, run: Run): void {
  program
    .command('audit')
    .description(`Muestra quien hizo que, lo mas reciente primero. Se guarda ${AUDIT_DAYS} dias.`)
    .option('--user <usuario>', 'lo que hizo, o lo que se le hizo')
    .option(
      '--action <accion>',
      'login, login.locked, logout, label.read-other, guide.cancel, queue.pause, admin.create, ...',
    )
    .option('--address <direccion>', 'desde donde')
    .option('--since <momento>', `desde, inclusive: ${MOMENT_RULE}`, (text) => parseMoment('since', text))
    .option('--until <momento>', 'hasta; un dia solo cuenta entero', (text) => parseMoment('until', text))
    .option('--limit <n>', `cuantos, hasta ${MAX_LIMIT}; si falta, ${DEFAULT_LIMIT}`, (text) =>
      parseInteger(text, MAX_LIMIT, '--limit debe ser un'),
    )
    .option('--json', 'en JSON')
    .addHelpText('after', example('audit --action login --since 24h'))
    .action(({ json = false, limit = DEFAULT_LIMIT, ...query }) =>
      run(async (mongo) => {
        const found = await new AuditStore(mongo).find(query, limit + 1);
        if (found.length > limit)
          process.stderr.write(`Hay mas de ${limit}: use --limit, --since o --until\n`);
        const events = found.slice(0, limit);
        if (json) return { text: JSON.stringify(events, null, 2) };
        return { text: events.length > 0 ? auditTable(events) : 'No hay nada anotado que coincida' };
      }),
    );
}

/**
 * Parses a day, a day with a time in UTC, or how long ago. A bare day in `--until` is the whole day.
 * @throws UsageError
 */
export function parseMoment(option: 'since' | 'until', text: string, now = Date.now()): Date {
  const [, count, unit = ''] = /^([0-9]{1,5})([mhd])$/.exec(text) ?? [];
  if (count) return new Date(now - Number(count) * (UNITS[unit] ?? 0));
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d)?)?Z?$/.exec(text) ?? [];
  const moment = new Date(`${day}${time ?? 'T00:00'}Z`);
  // `Date` turns 2026-02-31 into another day.
  const exists = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(`${day}${time ?? ''}`);
  if (!exists) throw new UsageError(`--${option} debe ser ${MOMENT_RULE}`);
  return option === 'until' && !time ? new Date(moment.getTime() + 24 * HOUR_MS) : moment;
}

function auditTable(events: readonly AuditEvent[]): string {
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

/** A terminal would obey control characters of clients and command lines. */
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '?');
}
