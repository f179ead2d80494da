import { MAX_LIMIT } from '#shared/accounts/settings.ts';
import { type Branch, branchCode } from '#shared/branches/branch.ts';
import {
  InvalidFileError,
  isMisread,
  type LineReport,
  NO,
  NOT_UTF8,
  type Row,
  readGuardedRows,
  YES,
} from '#shared/commands/csv.ts';
import { CUSTOMER_PERMISSIONS, PERMISSIONS, type Permission } from '#shared/rooms.ts';
import type { AccountLimits } from '../account-limits.ts';
import { newName } from '../names.ts';

/** The columns of limits, which hold for the account of the user. */
const LIMITS = {
  SolicitudesPorSegundo: 'requestsPerSecond',
  SolicitudesDeGolpe: 'requestsBurst',
  GuiasPorDia: 'guidesPerDay',
  PaginasDeEtiquetas: 'labelPages',
} as const satisfies Record<string, keyof AccountLimits>;
const LIMIT_COLUMNS = Object.keys(LIMITS) as (keyof typeof LIMITS)[];

export const USER_COLUMNS = ['Usuario', 'Cuenta', 'Permisos', 'Origen', 'Prueba'] as const;
/** The columns of a file of customers; a file may lack all but the first. */
export const CUSTOMER_COLUMNS = [...USER_COLUMNS, ...LIMIT_COLUMNS] as const;
type Column = (typeof CUSTOMER_COLUMNS)[number];

/** A user of a file. `line` counts from 1. */
export type Customer = {
  line: number;
  username: string;
  account: string;
  permissions: Permission[];
  originBranch: string | null;
  test: boolean;
};
/** What the rows of an account state together. `line` is its first one. */
export type FileAccount = { line: number; test: boolean; limits: Partial<AccountLimits> };
export type CustomerFile = { customers: Customer[]; accounts: Map<string, FileAccount> };

/**
 * Reads users and their accounts of a CSV file, and checks each cell.
 * @param report receives every problem of a line.
 * @throws InvalidFileError as `readRows` does.
 */
export async function readCustomers(
  path: string,
  branches: readonly Branch[],
  report: LineReport,
): Promise<CustomerFile> {
  const origins = new Map(branches.map((branch) => [branch.Codigo, branch]));
  const lines = new Map<string, number>();
  const file: CustomerFile = { customers: [], accounts: new Map() };
  for await (const row of readGuardedRows(path, CUSTOMER_COLUMNS, report, ['Usuario'])) {
    const cell = cellsOf(row, report);
    const username = cell('Usuario', parseName);
    const customer = {
      line: row.line,
      username,
      account: row.cells.Cuenta ? cell('Cuenta', parseName) : username,
      permissions: cell('Permisos', parsePermissions),
      originBranch: row.cells.Origen ? cell('Origen', (code) => parseOrigin(code, origins)) : null,
      test: cell('Prueba', parseYes),
    };
    const earlier = lines.get(username);
    if (username !== '' && earlier !== undefined) {
      const reason = `repetido, ya esta en la linea ${earlier}`;
      report.add({ line: row.line, column: 'Usuario', value: username, reason });
    }
    lines.set(username, earlier ?? row.line);
    addAccount(file.accounts, customer, row, report);
    file.customers.push(customer);
  }
  return file;
}

/** Throws the report of a file with a wrong line. */
export function refuseWrongLines(report: LineReport): void {
  if (report.count === 0) return;
  throw new InvalidFileError(`No se creo nada. Errores: ${report.count}\n${report}`);
}

/** What a cell says, or the rule that it breaks. */
type Parsed<T> = { value: T; broken?: string };

/** Returns a function that parses a cell of a row, and reports what is wrong with it. */
function cellsOf({ line, cells }: Row<Column>, report: LineReport) {
  return <T>(column: Column, parse: (text: string) => Parsed<T>): T => {
    const text = cells[column];
    const { value, broken } = parse(text);
    const reason = isMisread(text) ? NOT_UTF8 : broken;
    if (reason !== undefined) report.add({ line, column, value: text, reason });
    return value;
  };
}

function parseName(text: string): Parsed<string> {
  const parsed = newName(text);
  return 'name' in parsed ? { value: parsed.name } : { value: '', ...parsed };
}

function parsePermissions(text: string): Parsed<Permission[]> {
  const names = new Set(text.split(/[\s,;]+/).filter((name) => name !== ''));
  const unknown = [...names].some((name) => !PERMISSIONS.some((each) => each === name));
  const value = PERMISSIONS.filter((permission) => names.has(permission));
  if (unknown) {
    return { value, broken: `permiso desconocido; los permisos son: ${CUSTOMER_PERMISSIONS.join(', ')}` };
  }
  const wide = value.filter((permission) => !CUSTOMER_PERMISSIONS.includes(permission)).join(' ');
  if (wide === '') return { value };
  const broken = `${wide} alcanza otras cuentas y no se da por archivo: quitelo, y delo despues con grant`;
  return { value, broken };
}

function parseOrigin(text: string, branches: ReadonlyMap<string, Branch>): Parsed<string> {
  const value = branchCode(text);
  const branch = branches.get(value);
  if (!branch) return { value, broken: 'no esta entre las sucursales cargadas' };
  if (!branch.Activa) return { value, broken: 'la sucursal no esta activa' };
  return branch.Origen ? { value } : { value, broken: 'la sucursal no es origen' };
}

function parseYes(text: string): Parsed<boolean> {
  const isKnown = text === '' || YES.test(text) || NO.test(text);
  return { value: YES.test(text), ...(!isKnown && { broken: 'debe ser si o no, o quedar vacio' }) };
}

function parseLimit(text: string): Parsed<number | undefined> {
  if (text === '') return { value: undefined };
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  const fits = value >= 1 && value <= MAX_LIMIT;
  return { value, ...(!fits && { broken: `debe ser un numero entero de 1 a ${MAX_LIMIT}, o quedar vacio` }) };
}

/** Adds what a row says of its account, and reports what differs from the account's earlier rows. */
function addAccount(
  accounts: CustomerFile['accounts'],
  { line, account: name, test }: Customer,
  row: Row<Column>,
  report: LineReport,
): void {
  const account = accounts.get(name) ?? { line, test, limits: {} };
  accounts.set(name, account);
  const differs = (column: Column) => {
    const reason = `la cuenta ${name} dice otra cosa en una linea anterior`;
    report.add({ line, column, value: row.cells[column], reason });
  };
  if (account.test !== test) differs('Prueba');
  const cell = cellsOf(row, report);
  for (const column of LIMIT_COLUMNS) {
    const limit = cell(column, parseLimit);
    const earlier = account.limits[LIMITS[column]];
    if (limit === undefined) continue;
    if (earlier !== undefined && earlier !== limit) differs(column);
    account.limits[LIMITS[column]] = limit;
  }
}
