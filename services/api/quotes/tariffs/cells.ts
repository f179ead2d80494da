import { POSTAL_CODE_CELL_RULE, POSTAL_CODE_FORM } from '#shared/branches/postal-code.ts';
import { isMisread, type LineProblem, NOT_UTF8, type Row } from '#shared/commands/csv.ts';
import { SERVICE_TYPES, type ServiceType } from '#shared/guides/guide.ts';
import { formatPesos } from '../../platform/amounts.ts';

/** How the text of a cell is read; undefined if it does not fit. */
export type Reader<T> = { read: (cell: string) => T | undefined; reason: string };
/** How a value is also written, in reports, as the file has it. */
export type Cell<T> = Reader<T> & { write: (value: T) => string };

/** A number with so many decimals at most. */
const decimal = (maximum: number, decimals: number, unit: number, reason: string): Cell<number> => ({
  write: (value) => `${value / unit}`,
  read: (cell) => {
    if (!new RegExp(`^[0-9]{1,12}(\\.[0-9]{1,${decimals}})?$`).test(cell)) return undefined;
    const value = Math.round(Number(cell) * unit);
    return value <= maximum * unit ? value : undefined;
  },
  reason,
});
const matching = (pattern: RegExp, reason: string): Reader<string> => ({
  read: (cell) => (pattern.test(cell) ? cell : undefined),
  reason,
});
export const whole = (minimum: number, maximum: number): Cell<number> => ({
  write: String,
  read: (cell) => {
    const value = /^[0-9]{1,9}$/.test(cell) ? Number(cell) : Number.NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  },
  reason: `debe ser un numero entero de ${minimum} a ${maximum}`,
});

/** Pesos as centavos. */
export const MONEY = decimal(
  9_999_999.99,
  2,
  100,
  'debe ser un importe en pesos como 142.00, sin comas ni $',
);
/** The declared value of a guide, or what is collected on its delivery, as centavos. */
export const DECLARED: Cell<number> = {
  ...decimal(999_999_999.99, 2, 100, 'debe ser un importe en pesos como 1500.00, sin comas ni $'),
  write: formatPesos,
};
/** Kilograms as grams. */
export const KILOGRAMS = decimal(
  1_000,
  3,
  1_000,
  'debe ser un peso en kg de 0 a 1000, con 3 decimales a lo mas',
);
/** Centimetres as millimetres. */
export const CENTIMETRES = decimal(
  500,
  1,
  10,
  'debe ser una medida en cm de 0 a 500, con un decimal a lo mas',
);
/** A percentage as hundredths of it. */
export const PERCENTAGE = decimal(
  100,
  2,
  100,
  'debe ser un porcentaje de 0 a 100, sin %, con 2 decimales a lo mas',
);
export const POSTAL_CODE = matching(POSTAL_CODE_FORM, POSTAL_CODE_CELL_RULE);
export const PLACE = matching(/^[A-Za-z0-9]{2,20}$/, 'debe ser un codigo postal o el codigo de una sucursal');
/** Names of groups, zones, lists, areas and surcharges: they stand in answers and tokens. */
export const NAME = matching(
  /^[\p{L}\p{N}](?:[\p{L}\p{N} _.-]{0,14}[\p{L}\p{N}])?$/u,
  'debe tener de 1 a 16 letras o digitos',
);
export const ACCOUNT = matching(/^\S{1,64}$/u, 'debe ser el nombre de una cuenta');
export const SHIPMENT_TYPE = matching(/^[^\p{Cc}]{0,40}$/u, 'admite hasta 40 caracteres');
export const NOTE = matching(/^[^\p{Cc}]{0,120}$/u, 'admite hasta 120 caracteres');
export const SERVICE: Reader<ServiceType> = {
  read: (cell) => SERVICE_TYPES.find((service) => service === cell),
  reason: `debe ser ${SERVICE_TYPES.join(' o ')}`,
};
export const DAYS = whole(0, 60);
export const PACKAGES = whole(1, 99);
export const DATE: Reader<string> = {
  read: (cell) => {
    const isDate = /^\d{4}-\d\d-\d\d$/.test(cell) && !Number.isNaN(Date.parse(`${cell}T00:00:00Z`));
    return isDate && new Date(`${cell}T00:00:00Z`).toISOString().startsWith(cell) ? cell : undefined;
  },
  reason: 'debe ser una fecha como 2026-12-25',
};
/** `17:00` as the minute of the day. */
export const TIME_OF_DAY: Cell<number> = {
  write: (minute) =>
    [Math.floor(minute / 60), minute % 60].map((part) => `${part}`.padStart(2, '0')).join(':'),
  read: (cell) => {
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(cell) ?? [];
    return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
  },
  reason: 'debe ser una hora como 17:00',
};
export const YES_NO: Cell<boolean> = {
  write: (value) => (value ? 'si' : 'no'),
  read: (cell) => ({ si: true, sí: true, no: false })[cell.toLowerCase()],
  reason: 'debe ser si o no',
};
export const oneOf = <T extends string>(...values: T[]): Reader<T> => ({
  read: (cell) => values.find((value) => value === cell),
  reason: `debe ser ${values.join(', ')}`,
});

/** Refuses 0. */
export function positive({ read, reason, write }: Cell<number>): Cell<number> {
  return { write, read: (cell) => read(cell) || undefined, reason: `${reason}, mayor que 0` };
}

/** Reads a cell that may be empty. */
export function orElse<T, D>(reader: Reader<T>, absent: D): Reader<T | D> {
  return {
    read: (cell) => (cell === '' ? absent : reader.read(cell)),
    reason: `${reader.reason}, o quedar vacio`,
  };
}

/** Reads the cells of one row. What does not fit is reported; then `ok` is false and the values are not to be used. */
export class CellReader<C extends string> {
  ok = true;
  readonly line: number;
  readonly #cells: Record<C, string>;
  readonly #report: (problem: LineProblem) => void;

  constructor({ line, cells }: Row<C>, report: (problem: LineProblem) => void) {
    this.line = line;
    this.#cells = cells;
    this.#report = report;
  }

  text(column: C): string {
    return this.#cells[column];
  }

  read<T>(column: C, { read, reason }: Reader<T>): T {
    const cell = this.#cells[column];
    const value = read(cell);
    if (isMisread(cell)) this.refuse(column, NOT_UTF8);
    else if (value === undefined) this.refuse(column, cell === '' ? `falta; ${reason}` : reason);
    return value as T;
  }

  refuse(column: C, reason: string): void {
    this.ok = false;
    this.#report({ line: this.line, column, value: this.#cells[column], reason });
  }
}
