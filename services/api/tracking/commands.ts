import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import { Registry } from 'prom-client';
import { operatorOf } from '#shared/audit/record-command.ts';
import {
  InvalidFileError,
  isMisread,
  LineReport,
  NOT_UTF8,
  namingFile,
  type Row,
  readRows,
} from '#shared/commands/csv.ts';
import { type Run, typedPath } from '#shared/commands/run-command-line.ts';
import { progressLine } from '#shared/commands/terminal.ts';
import { toDetails } from '#shared/http/http-errors.ts';
import { MAX_EVENTS } from '#shared/tracking/event.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { example } from '../accounts/commands/command-line.ts';
import type { AdjustingTools } from '../guides/adjusting.ts';
import { GuideStore } from '../guides/guide-store.ts';
import type { CommandTools } from '../platform/command-tools.ts';
import { verdictErrors } from './errors.ts';
import { COLUMNS, toEvent } from './event-columns.ts';
import { EventRegister } from './event-register.ts';
import type { FollowingTools } from './following.ts';
import { registerEvents } from './register-events.ts';

const REQUIRED = ['Guia', 'Tipo', 'Ocurrido'] as const;
type Column = (typeof COLUMNS)[number];
type Tools = AdjustingTools & FollowingTools;

export function addCommands(program: Command, tools: CommandTools & Tools): void {
  program
    .command('eventos')
    .description('Registra los eventos de un archivo CSV. Cargarlo otra vez no repite ninguno.')
    .argument('<archivo>')
    .addHelpText(
      'after',
      `\nEl archivo es CSV en UTF-8, separado por , o ; con estas columnas, sin las que no use:\n  ${COLUMNS.join(',')}`,
    )
    .addHelpText('after', example('eventos escaneos.csv'))
    .action((typed: string) => {
      const path = typedPath(typed);
      return namingFile(path, () => loadFile(tools.run, tools, path));
    });
}

/** @throws InvalidFileError if an event is refused. */
async function loadFile(run: Run, tools: Tools, path: string): Promise<void> {
  let refused = 0;
  await run(async (mongo) => {
    const loaded = await loadEvents(mongo, tools, path, operatorOf(process.env).actor);
    refused = loaded.refused;
    const { registered, repeated, report } = loaded;
    const text = `Eventos registrados: ${registered}, repetidos: ${repeated}, rechazados: ${refused}`;
    return {
      text: refused > 0 ? `${text}\n${report}` : text,
      details: { registered, repeated, refused },
    };
  });
  if (refused > 0) throw new InvalidFileError('Corrija las lineas rechazadas y cargue el archivo otra vez');
}

/** Registers each event by itself, 500 at a time. */
async function loadEvents(mongo: Connection, tools: Tools, path: string, username: string) {
  const guides = new GuideStore(mongo);
  const adjustersOf = tools.adjusters.value(mongo);
  const followers = tools.followers.map((make) => make(mongo));
  // Webhooks find the events within a minute.
  const events = new EventRegister(
    { log: new EventLog(mongo), guides, adjustersOf, followers },
    new Registry(),
    () => {},
  );
  const report = new LineReport();
  const counts = { registered: 0, repeated: 0 };
  const progress = progressLine();
  const register = async (rows: readonly Row<Column>[]) => {
    const outcomes = await registerEvents(
      { events, guides },
      rows.map(({ cells }) => toEvent(cells)),
      username,
    );
    for (const [i, { verdict }] of outcomes.entries()) {
      if (typeof verdict === 'string') counts[verdict]++;
      else {
        const { line, cells } = rows[i] as Row<Column>;
        const column = verdict.campo;
        const value = column && cells[column as Column];
        const [{ message: reason = '' } = {}] = toDetails(verdictErrors, [verdict]);
        report.add({ line, ...(column && { column }), ...(value && { value }), reason });
      }
    }
    progress.show(`Revisados: ${counts.registered + counts.repeated + report.count}`);
  };
  try {
    let batch: Row<Column>[] = [];
    for await (const row of readRows(path, COLUMNS, report, REQUIRED)) {
      if (Object.values(row.cells).some(isMisread)) report.add({ line: row.line, reason: NOT_UTF8 });
      else batch.push(row);
      if (batch.length === MAX_EVENTS) {
        await register(batch);
        batch = [];
      }
    }
    if (batch.length > 0) await register(batch);
    return { ...counts, refused: report.count, report };
  } finally {
    progress.clear();
  }
}
