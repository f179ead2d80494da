import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import { type CommandResult, operatorOf } from '#shared/audit/record-command.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { typedPath } from '#shared/commands/run-command-line.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import {
  ASKS,
  addLoadOptions,
  carryOut,
  describeOrigin,
  type Load,
  type LoadOptions,
  typedOptions,
} from '#shared/loads/carry-out.ts';
import { differenceOf } from '#shared/loads/difference.ts';
import type { PickupCalendar } from '#shared/pickups/calendar-model.ts';
import { example } from '../accounts/commands/command-line.ts';
import type { CommandTools } from '../platform/command-tools.ts';
import {
  CALENDAR_COLUMNS,
  DAY_TABLE,
  ROW_TABLE,
  readCalendar,
  writeCalendar,
} from './calendar/calendar-files.ts';
import { CalendarStore, NO_CALENDAR } from './calendar/calendar-store.ts';

const FILES = Object.entries(CALENDAR_COLUMNS)
  .map(([file, columns]) => `  ${file.padEnd(24)} ${columns.join(',')}`)
  .join('\n');

/** `npm run admin -- pickups …`: the calendar of pick-ups, loaded as branches are. */
export function addCommands(program: Command, { run }: CommandTools): void {
  const pickups = program
    .command('pickups')
    .description('import, restore, export y status del calendario de recolecciones.')
    .helpCommand(false);

  const load = pickups
    .command('import')
    .argument('<carpeta>', 'con los archivos .csv que cambian; el otro queda como esta')
    .description(`reemplaza el calendario por los archivos, si no tienen errores; ${ASKS}`)
    .addHelpText('after', `\nLos archivos, en UTF-8 y separados por , o ;:\n${FILES}`)
    .addHelpText('after', example('pickups import carpeta --dry-run'));
  addLoadOptions(load).action((path: string, options: LoadOptions) =>
    run(
      (mongo) =>
        replaceCalendar(mongo, options, async (before) => ({
          calendar: await readCalendar(typedPath(path), before, await branchCodes(mongo)),
          done: 'Cargado',
        })),
      { action: 'admin.pickups.import', details: { folder: basename(path), ...typedOptions(options) } },
    ),
  );

  const restore = pickups
    .command('restore')
    .description(`regresa al calendario de antes de la ultima carga; otro restore lo deshace; ${ASKS}`)
    .addHelpText('after', example('pickups restore --dry-run'));
  addLoadOptions(restore).action((options: LoadOptions) =>
    run(
      (mongo) =>
        replaceCalendar(mongo, options, async (_, version) => {
          const former = await new CalendarStore(mongo).read(version - 1);
          if (!former) throw new Error('No hay un calendario anterior al que esta en vigor');
          const origin = `, cargadas${describeOrigin(former)}`;
          return { calendar: former.calendar, done: 'Restaurado', origin, restored: former._id };
        }),
      { action: 'admin.pickups.restore', details: typedOptions(options) },
    ),
  );

  pickups
    .command('export')
    .argument('<carpeta>', 'nueva, en la que se escriben los archivos')
    .description('escribe el calendario en vigor como archivos')
    .addHelpText('after', example('pickups export respaldo'))
    .action((path: string) =>
      run(
        async (mongo) => {
          const store = new CalendarStore(mongo);
          const inForce = await store.read(await store.version());
          if (!inForce) throw new Error('No hay un calendario de recolecciones');
          await mkdir(typedPath(path), { recursive: true });
          await writeCalendar(typedPath(path), inForce.calendar);
          return { text: `Version ${inForce._id}: ${sizeOf(inForce.calendar)}` };
        },
        { action: 'admin.pickups.export', details: { folder: basename(path) } },
      ),
    );

  pickups
    .command('status')
    .description('que calendario esta en vigor, desde cuando y quien lo cargo')
    .addHelpText('after', example('pickups status'))
    .action(() =>
      run(
        async (mongo) => {
          const store = new CalendarStore(mongo);
          const inForce = await store.read(await store.version());
          if (!inForce) return { text: 'No hay un calendario de recolecciones: nadie pasa a recoger' };
          const origin = describeOrigin(inForce);
          return { text: `Version ${inForce._id}, cargada${origin}. ${sizeOf(inForce.calendar)}` };
        },
        { action: 'admin.pickups.status' },
      ),
    );
}

type Wanted = { calendar: PickupCalendar; done: Load['done']; origin?: string; restored?: number };

/** Compares a calendar with that in force, and puts it in force. @param read gets the one in force, and its number. */
async function replaceCalendar(
  mongo: Connection,
  options: LoadOptions,
  read: (before: PickupCalendar, version: number) => Promise<Wanted>,
): Promise<CommandResult> {
  const store = new CalendarStore(mongo);
  const version = await store.version();
  const before = (await store.read(version))?.calendar ?? NO_CALENDAR;
  const { calendar, done, origin = '', restored } = await read(before, version);
  const replace = () => store.add(version, calendar, operatorOf(process.env).actor).catch(explainChanged);
  const load: Load = {
    differences: [
      differenceOf(ROW_TABLE, before.rows, calendar.rows),
      differenceOf(DAY_TABLE, before.closedDays, calendar.closedDays),
    ],
    size: `${sizeOf(calendar)}${origin}.`,
    details: { rows: calendar.rows.length, ...(restored !== undefined && { restored }) },
    done,
    version,
    store: async () => ({ details: { version: await replace() } }),
  };
  return carryOut(load, options);
}

function sizeOf({ rows, closedDays }: PickupCalendar): string {
  return `Ventanas: ${rows.length}, dias sin recoleccion: ${closedDays.length}`;
}

async function branchCodes(mongo: Connection): Promise<Set<string>> {
  const { branches } = await new BranchStore(mongo).wholeSnapshot();
  return new Set(branches.map(({ Codigo }) => Codigo));
}

function explainChanged(cause: unknown): never {
  if (!(cause instanceof DomainError && cause.code === 'calendar-changed')) throw cause;
  throw new Error('Alguien cargo un calendario mientras tanto: no se hizo nada, repita el comando', {
    cause,
  });
}
