import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { branchCode } from '#shared/branches/branch.ts';
import {
  formatCsv,
  InvalidFileError,
  isMisread,
  LineReport,
  NO,
  NOT_UTF8,
  namingFile,
  type Row,
  readGuardedRows,
  YES,
} from '#shared/commands/csv.ts';
import type { Table } from '#shared/loads/difference.ts';
import {
  type ClosedDay,
  type PickupCalendar,
  type PickupRow,
  WEEKDAYS,
  type Weekday,
} from '#shared/pickups/calendar-model.ts';
import { isDate } from './windows.ts';

/** The calendar of pick-ups as files: `recolecciones.csv` and `dias_sin_recoleccion.csv`. */

const ROW_COLUMNS = ['Sucursal', 'Dia', 'Desde', 'Hasta', 'Corte', 'Cupo', 'Automatica'] as const;
const DAY_COLUMNS = ['Fecha', 'Sucursal', 'Motivo'] as const;
type RowCells = Readonly<Record<(typeof ROW_COLUMNS)[number], string>>;
type DayCells = Readonly<Record<(typeof DAY_COLUMNS)[number], string>>;

const ROWS_FILE = 'recolecciones.csv';
const DAYS_FILE = 'dias_sin_recoleccion.csv';
/** The files, and the columns of each, for the help of the command. */
export const CALENDAR_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  [ROWS_FILE]: ROW_COLUMNS,
  [DAYS_FILE]: DAY_COLUMNS,
};
/** More windows than 2 000 branches have in a week. The calendar must fit into a document of MongoDB. */
const MAX_ROWS = 50_000;
const MAX_CAPACITY = 10_000;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const CUTOFF = /^(-1 )?(([01]\d|2[0-3]):[0-5]\d)$/;
const TEXT = /^[^\p{Cc}\u2028\u2029]{0,120}$/u;

/** How rows are compared: branch, day and beginning name a window. */
export const ROW_TABLE: Table<PickupRow> = {
  name: ROWS_FILE,
  columns: ROW_COLUMNS,
  keys: 3,
  cells: ({ branch, weekday, from, to, cutoff, isDayBefore, capacity, automatic }) => [
    ...[branch, weekday, from, to, `${isDayBefore ? '-1 ' : ''}${cutoff}`],
    ...[capacity === undefined ? '' : String(capacity), automatic ? 'si' : 'no'],
  ],
};
export const DAY_TABLE: Table<ClosedDay> = {
  name: DAYS_FILE,
  columns: DAY_COLUMNS,
  keys: 2,
  cells: ({ date, branch = '', reason }) => [date, branch, reason],
};

/**
 * Reads the files of a folder. One that is not there stays as it is in force.
 *
 * @param before the calendar in force.
 * @param branches codes of the branches that are loaded.
 * @throws InvalidFileError with every wrong line.
 */
export async function readCalendar(
  folder: string,
  before: PickupCalendar,
  branches: ReadonlySet<string>,
): Promise<PickupCalendar> {
  const names = await namingFile(folder, () => calendarFilesIn(folder));
  const read = <T>(name: string, parse: (path: string) => Promise<T>, kept: T) => {
    const path = join(folder, name);
    return names.includes(name) ? namingFile(path, () => parse(path)) : kept;
  };
  return {
    rows: await read(ROWS_FILE, (path) => readRows(path, branches), before.rows),
    closedDays: await read(DAYS_FILE, (path) => readDays(path, branches), before.closedDays),
  };
}

/** Writes both files into an existing folder. @throws if one is there already. */
export async function writeCalendar(folder: string, { rows, closedDays }: PickupCalendar): Promise<void> {
  const write = (name: string, columns: readonly string[], cells: readonly (readonly string[])[]) =>
    writeFile(
      join(folder, name),
      formatCsv(
        columns,
        cells.map((row) => [...row]),
      ),
      { flag: 'wx' },
    );
  await write(ROWS_FILE, ROW_COLUMNS, rows.map(ROW_TABLE.cells));
  await write(DAYS_FILE, DAY_COLUMNS, closedDays.map(DAY_TABLE.cells));
}

async function calendarFilesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.toLowerCase().endsWith('.csv'));
  const files = Object.keys(CALENDAR_COLUMNS);
  const unknown = names.filter((name) => !files.includes(name));
  if (unknown.length > 0) {
    throw new InvalidFileError(
      `La carpeta tiene archivos que no son del calendario: ${unknown.sort().join(', ')}. Son: ${files.join(', ')}`,
    );
  }
  if (names.length === 0) throw new InvalidFileError(`La carpeta no tiene ${files.join(' ni ')}`);
  return names;
}

async function readRows(path: string, branches: ReadonlySet<string>): Promise<PickupRow[]> {
  const required = ROW_COLUMNS.filter((column) => column !== 'Automatica' && column !== 'Cupo');
  return readEach(path, { columns: ROW_COLUMNS, required, keys: 3 }, ROW_TABLE, (cells, refuse) => {
    const { Sucursal, Dia, Desde, Hasta, Corte, Cupo, Automatica } = cells as RowCells;
    const weekday = Dia.toLowerCase() as Weekday;
    const [, dayBefore, cutoff = ''] = CUTOFF.exec(Corte) ?? [];
    if (!branches.has(branchCode(Sucursal))) refuse('Sucursal', 'no esta entre las sucursales cargadas');
    if (!WEEKDAYS.includes(weekday)) refuse('Dia', 'debe ser uno de: lun, mar, mie, jue, vie, sab, dom');
    if (!TIME.test(Desde)) refuse('Desde', 'debe ser HH:MM');
    if (!TIME.test(Hasta)) refuse('Hasta', 'debe ser HH:MM');
    else if (TIME.test(Desde) && Hasta <= Desde) refuse('Hasta', 'debe ser despues de Desde, el mismo dia');
    if (cutoff === '') refuse('Corte', 'debe ser HH:MM, o -1 HH:MM para el dia anterior');
    else if (!dayBefore && TIME.test(Hasta) && cutoff > Hasta)
      refuse('Corte', 'no debe ser despues de Hasta');
    const isCapacity = /^\d{1,5}$/.test(Cupo) && Number(Cupo) <= MAX_CAPACITY;
    if (Cupo !== '' && !isCapacity)
      refuse('Cupo', `debe ser un numero entero de 0 a ${MAX_CAPACITY}, o quedar vacio`);
    if (Automatica !== '' && !YES.test(Automatica) && !NO.test(Automatica))
      refuse('Automatica', 'debe ser si o no, o quedar vacio');
    return {
      ...{ branch: branchCode(Sucursal), weekday, from: Desde, to: Hasta, cutoff },
      isDayBefore: dayBefore !== undefined,
      ...(Cupo !== '' && { capacity: Number(Cupo) }),
      automatic: YES.test(Automatica),
    };
  });
}

async function readDays(path: string, branches: ReadonlySet<string>): Promise<ClosedDay[]> {
  const options = { columns: DAY_COLUMNS, required: ['Fecha'] as const, keys: 2 };
  return readEach(path, options, DAY_TABLE, (cells, refuse) => {
    const { Fecha, Sucursal, Motivo } = cells as DayCells;
    if (!isDate(Fecha)) refuse('Fecha', 'debe ser una fecha que existe, como 2026-12-25');
    if (Sucursal !== '' && !branches.has(branchCode(Sucursal)))
      refuse('Sucursal', 'no esta entre las sucursales cargadas; vacia, todas');
    if (!TEXT.test(Motivo)) refuse('Motivo', 'admite hasta 120 caracteres, sin caracteres de control');
    return { date: Fecha, ...(Sucursal !== '' && { branch: branchCode(Sucursal) }), reason: Motivo };
  });
}

type Options<C extends string> = { columns: readonly C[]; required: readonly C[]; keys: number };

/** Reads the rows of a file, and refuses two of the same key. */
async function readEach<C extends string, R>(
  path: string,
  { columns, required, keys }: Options<C>,
  { cells: cellsOf }: Table<R>,
  parse: (cells: Record<C, string>, refuse: (column: C, reason: string) => void) => R,
): Promise<R[]> {
  const report = new LineReport();
  const found: R[] = [];
  const lines = new Map<string, number>();
  for await (const { line, cells } of readGuardedRows(path, columns, report, required) as AsyncGenerator<
    Row<C>
  >) {
    const misread = columns.filter((column) => isMisread(cells[column]));
    for (const column of misread) report.add({ line, column, value: cells[column], reason: NOT_UTF8 });
    const row = parse(cells, (column, reason) => report.add({ line, column, value: cells[column], reason }));
    const key = cellsOf(row).slice(0, keys).join(' ');
    const earlier = lines.get(key);
    if (earlier === undefined) lines.set(key, line);
    else report.add({ line, value: key, reason: `repetido, ya esta en la linea ${earlier}` });
    found.push(row);
  }
  if (found.length > MAX_ROWS) throw new InvalidFileError(`El archivo tiene mas de ${MAX_ROWS} filas`);
  if (report.count > 0) throw new InvalidFileError(`No se cargo nada. Errores: ${report.count}\n${report}`);
  return found;
}
