import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { type Row, readRows } from '#shared/csv/csv-rows.ts';
import { InvalidFileError, LineReport } from '#shared/csv/line-report.ts';
import { requireSize } from '#shared/csv/read-lines.ts';
import { COLUMNS, REFERENCE, SERVICE } from './columns.ts';

/** An order of a file. `line` counts from 1, which is the header. */
export type Order = { line: number; service: string; reference: string; guide: SentGuide };
/** A guide as it is sent: sections of fields, and its reference. The service checks it. */
export type SentGuide = Record<string, unknown>;

const NAMES = COLUMNS.map(({ name }) => name);
const REQUIRED = COLUMNS.filter(({ required }) => required).map(({ name }) => name);
const NUMERIC = new Set(COLUMNS.filter(({ numeric }) => numeric).map(({ name }) => name));
const DEFAULT_SERVICE = 'Domicilio';
/** A guide must have each of its sections, even if empty. */
const SECTIONS = NAMES.filter((name) => name.includes('.')).map((name) => name.slice(0, name.indexOf('.')));
/** A number as JSON has it. Other forms are sent as text, so that the service says what is wrong with them. */
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/**
 * Reads the orders of a CSV file, in UTF-8 or, as spreadsheets write it where nothing else is chosen, in Latin-1.
 *
 * @throws InvalidFileError for a wrong header, and where an order has no reference or that of another one.
 */
export async function readOrders(path: string): Promise<Order[]> {
  const report = new LineReport();
  const orders: Order[] = [];
  const lines = new Map<string, number>();
  const encoding = await encodingOf(path);
  for await (const row of readRows(path, NAMES, report, { required: REQUIRED, encoding })) {
    const order = toOrder(row);
    const { line, reference } = order;
    const earlier = lines.get(reference);
    const value = { line, column: REFERENCE, value: reference };
    if (reference === '')
      report.add({ line, column: REFERENCE, reason: 'falta: por ella se reconoce el pedido' });
    else if (earlier) report.add({ ...value, reason: `repetida, ya esta en la linea ${earlier}` });
    lines.set(reference, line);
    orders.push(order);
  }
  if (report.count > 0)
    throw new InvalidFileError(`No se creo ninguna guia. Errores: ${report.count}\n${report}`);
  return orders;
}

async function encodingOf(path: string): Promise<BufferEncoding> {
  requireSize((await stat(path)).size);
  return isUtf8(await readFile(path)) ? 'utf8' : 'latin1';
}

function toOrder({ line, cells }: Row<string>): Order {
  const { [SERVICE]: service = '', [REFERENCE]: reference = '' } = cells;
  const guide: SentGuide = Object.fromEntries(SECTIONS.map((section) => [section, {}]));
  for (const [name, cell] of Object.entries(cells)) {
    if (cell === '' || name === SERVICE) continue;
    const [section = '', field] = name.split('.');
    const value = NUMERIC.has(name) && NUMBER.test(cell) ? Number(cell) : cell;
    if (field === undefined) guide[section] = value;
    else (guide[section] as Record<string, unknown>)[field] = value;
  }
  return { line, service: service || DEFAULT_SERVICE, reference, guide };
}
