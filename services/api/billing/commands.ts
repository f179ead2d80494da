import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import { formatCsv } from '#shared/commands/csv.ts';
import { typedPath, UsageError } from '#shared/commands/run-command-line.ts';
import { progressLine } from '#shared/commands/terminal.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { parseAccount, readTimeZone } from '../accounts/commands/command-line.ts';
import { NAME_RULE } from '../accounts/names.ts';
import { untilStored } from '../guides/until-stored.ts';
import { formatPesos } from '../platform/amounts.ts';
import type { CommandTools } from '../platform/command-tools.ts';
import { type ClosedMonth, ClosedMonths, completed, type Difference, differences } from './closed-months.ts';
import { COLUMNS, cellsOf } from './columns.ts';
import type { Usage } from './figures.ts';
import { closesAt, monthOf, type Period } from './months.ts';
import { creationIn, readUsage } from './read-usage.ts';
import type { UsageOptions } from './usage-options.ts';
import { WithoutTariffFile } from './without-tariff-file.ts';

const HELP = `
Escribe un CSV con una fila por cuenta que uso algo. Lo que se registra en un mes es de ese mes para siempre:
  Guias            guias creadas en el mes, por su SEND_FECHA, de la cuenta para la que se crearon
  Canceladas       guias cuya cancelacion se registro en el mes
  Entregadas       guias que pasaron a Entregado por un evento registrado en el mes, menos las que dejaron de estarlo
  Etiquetas        etiquetas que recibieron los usuarios de la cuenta, una por paquete; desde la version 1.6
  Total            MXN, suma de SEND_TOTAL de Guias, tambien de las que se cancelaron
  TotalCanceladas  MXN, suma de SEND_TOTAL de Canceladas, tambien de las que se crearon en otro mes
  Ajustes          MXN, lo que los pesajes registrados en el mes cambiaron el precio de guias cotizadas
  SinPrecio        guias cotizadas cuyo pesaje la tarifa no puede cobrar, menos las que dejaron de ser asi
  SinCotizar       las de Guias que se crearon sin Cotizacion y responden SEND_TOTAL 0
  PorCotizar       MXN, lo que cuestan las de SinCotizar con la tarifa que regia cuando se crearon; mas lo que los pesajes
                   registrados en el mes cambiaron ese precio, menos el precio de las que se cancelaron en el mes,
                   tambien de guias de otros meses
  SinTarifa        las de SinCotizar sin precio: no habia tarifa o no se pudo leer, faltan medidas, la tarifa no tiene
                   precio, o se crearon antes de la version 1.9; mas las que un pesaje registrado en el mes dejo asi,
                   menos las que por uno tuvieron precio o que se cancelaron
Todos los importes llevan IVA. A cobrar por las guias: Total - TotalCanceladas + Ajustes + PorCotizar; a mano, las de
SinPrecio y SinTarifa.
--without-tariff escribe una fila por guia, con el motivo. Su columna SinTarifa es 1, o -1 si un mes anterior conto la guia
y en este un pesaje le dio precio o se cancelo.
Las tres ultimas columnas de un mes que guardo una version anterior a la 1.9 no se guardan: se calculan cada vez.

Un mes se cierra una hora despues de su fin en TIME_ZONE. La primera vez que se pide cerrado, se guarda. Despues se
escribe lo guardado, se calcula otra vez, y si algo cambio se dice que, con codigo de salida 1.
Las cuentas de prueba solo salen con --test, y no se guardan: sus guias se borran a los 30 dias.`;

/** Without `--silent`, npm writes into the file what it runs. */
const EXAMPLE = `
Ejemplo:
  npm run --silent admin -- usage --month 2026-11 --without-tariff sin-tarifa-2026-11.csv > uso-2026-11.csv`;

export function addCommands(program: Command, { run }: CommandTools): void {
  program
    .command('usage')
    .description('Escribe lo que uso cada cuenta en un mes, para cobrarlo.')
    .option('--month <mes>', 'como 2026-11 (obligatoria)', parseMonth)
    .option('--account <cuenta>', `solo esta, ${NAME_RULE}; no guarda el mes`, parseAccount)
    .option('--test', 'las cuentas de prueba, en vez de las demas')
    .option('--without-tariff <archivo>', 'CSV nuevo con las guias que cuenta SinTarifa')
    .addHelpText('after', HELP)
    .addHelpText('after', EXAMPLE)
    .action(async ({ month: name, withoutTariff: typed, ...of }: TypedOptions) => {
      // Commander's own check would not say which one.
      if (name === undefined) throw new UsageError('Falta --month. Vea usage --help');
      const { timeZone, localTime } = readTimeZone();
      const month = monthOf(name, localTime);
      let changes: Difference[] = [];
      await run(async (mongo) => {
        const report = await withFile(typed && typedPath(typed), (withoutTariff) =>
          reportMonth(mongo, month, { timeZone, localTime, ...of, withoutTariff }),
        );
        changes = report.changes;
        process.stderr.write(`${report.note}\n`);
        const details = { accounts: report.usage.size, changes: changes.length };
        return { text: toCsv(month, report.usage), details };
      });
      if (changes.length > 0)
        throw new Error(`Un mes cerrado no debe cambiar. Cambio:\n${changes.map(describeChange).join('\n')}`);
    });
}

type TypedOptions = { month?: string; account?: string; test?: boolean; withoutTariff?: string };
type Options = Pick<TypedOptions, 'account' | 'test'> & {
  withoutTariff: WithoutTariffFile | undefined;
  timeZone: string;
  localTime: (moment: Date) => string;
};
/** `note` is for the operator. */
type Report = { usage: Usage; note: string; changes: Difference[] };

/** Makes a file before `use` begins, because a month takes minutes to read. The file is gone if `use` fails. */
async function withFile(
  path: string | undefined,
  use: (file: WithoutTariffFile | undefined) => Promise<Report>,
): Promise<Report> {
  if (path === undefined) return use(undefined);
  const file = await WithoutTariffFile.create(path);
  try {
    const { note, ...report } = await use(file);
    return { ...report, note: `${note} Filas en ${path}: ${file.size}.` };
  } catch (error) {
    await file.remove();
    throw error;
  }
}

/** Reads a month; stores it if it is closed, or compares it with what is stored. */
async function reportMonth(mongo: Connection, month: Period, options: Options): Promise<Report> {
  const { account, test = false, withoutTariff, timeZone, localTime } = options;
  const clock = new DatabaseClock(mongo);
  const at = await clock.now();
  if (at < month.from) throw new UsageError('--month debe ser un mes que ya empezo');
  const words = (moment: Date) => `${localTime(moment).slice(0, 16).replace('T', ' ')} (${timeZone})`;
  const months = new ClosedMonths(mongo);
  const stored = test ? undefined : await months.find(month.name);
  if (stored) requireSameZone(stored, timeZone);
  const isClosed = at >= closesAt(month);
  if (isClosed && !stored) await requireZoneOfGuides(mongo, month, options);
  // A committed guide of the month may be in the journal alone.
  if (isClosed && !stored) await untilStored(mongo);

  const usage = await readWithProgress(mongo, month, { account, test, withoutTariff });
  // Before the month is stored: what a command that fails has done is nothing.
  await withoutTariff?.write(month.name);
  if (stored) {
    const wanted = account === undefined ? stored : onlyOf(stored, account);
    const changes = differences(wanted, usage);
    const since = `${month.name} se guardo el ${words(stored.at)}${describeMissing(stored)}`;
    const note = changes.length > 0 ? `${since}, y cambio. El CSV es lo guardado.` : `${since}; nada cambio.`;
    return { usage: completed(wanted, usage), note, changes };
  }
  const report = (note: string) => ({ usage, note, changes: [] });
  if (test) return report('Cuentas de prueba: no se cobran, y no se guardo nada.');
  if (!isClosed) return report(`Provisional: ${month.name} se cierra el ${words(closesAt(month))}.`);
  if (account !== undefined) return report('No se guardo el mes: para guardarlo, pidalo sin --account.');
  await months.store(month.name, { usage, timeZone, at });
  const closed = await months.find(month.name);
  // Rows of another run stay, so the month may be another one than that which was read here.
  if (!closed || closed.timeZone !== timeZone || differences(closed, usage).length > 0)
    throw new Error(
      'Otra ejecucion guardo este mes con otras cifras: no se guardaron estas. Avise a quien mantiene el servicio',
    );
  const note = `${month.name} esta cerrado, y se guardo${describeMissing(closed)}. Cuentas: ${usage.size}.`;
  return report(note);
}

/** Names the columns that a month lacks because an earlier release stored it, or began to. */
function describeMissing({ figures }: ClosedMonth): string {
  const missing = COLUMNS.filter(({ figure }) => !figures.includes(figure)).map(({ head }) => head);
  if (missing.length === 0) return '';
  return ` con una version anterior (${missing.join(', ')}: lo que se calculo ahora)`;
}

async function readWithProgress(
  mongo: Connection,
  month: Period,
  of: Omit<UsageOptions, 'onProgress'>,
): Promise<Usage> {
  const progress = progressLine();
  try {
    return await readUsage(mongo, month, { ...of, onProgress: (text) => progress.show(text) });
  } finally {
    progress.clear();
  }
}

/** @throws Error if the month was stored in another zone, in which it begins at another moment. */
function requireSameZone(stored: ClosedMonth, timeZone: string): void {
  if (stored.timeZone === timeZone) return;
  throw new Error(`El mes se guardo con TIME_ZONE=${stored.timeZone}, no ${timeZone}: use la misma`);
}

/** @throws Error if the guides of the month have local times of another zone, in which the month has other events. */
async function requireZoneOfGuides(
  mongo: Connection,
  month: Period,
  { timeZone, localTime }: Options,
): Promise<void> {
  const guide = await creationIn(mongo, month);
  if (!guide || localTime(guide.createdUtc) === guide.createdAt) return;
  throw new Error(
    `Las guias de ${month.name} no tienen la hora de TIME_ZONE=${timeZone}: use la zona del servicio api. No se guardo el mes`,
  );
}

function onlyOf({ usage, ...month }: ClosedMonth, account: string): ClosedMonth {
  const figures = usage.get(account);
  return { ...month, usage: new Map(figures ? [[account, figures]] : []) };
}

function toCsv({ name }: Period, usage: Usage): string {
  const rows = [...usage].map(([account, figures]) => [name, account, ...cellsOf(figures)]);
  return formatCsv(['Mes', 'Cuenta', ...COLUMNS.map(({ head }) => head)], rows).trimEnd();
}

function describeChange({ account, figure, before, now }: Difference): string {
  const column = COLUMNS.find((column) => column.figure === figure) as (typeof COLUMNS)[number];
  const words = (value: number) => ('isMoney' in column ? formatPesos(value) : `${value}`);
  return `  ${account}: ${column.head} ${words(now)}, se guardo ${words(before)}`;
}

function parseMonth(text: string): string {
  if (/^20\d\d-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new UsageError('--month debe ser un mes como 2026-11');
}
