import { type Branch, branchCode, ROUTE_FORM } from '#shared/branches/branch.ts';
import type { Coverage } from '#shared/branches/branch-store.ts';
import { POSTAL_CODE_CELL_RULE, POSTAL_CODE_FORM } from '#shared/branches/postal-code.ts';
import { NO, YES } from '#shared/commands/csv.ts';
import { MAX_COLLECTED } from '#shared/guides/guide.ts';

type Rule = { fits: (cell: string) => boolean; reason: string };

/** The first column identifies a record. */
export type CsvTable<R, C extends string> = {
  rules: Readonly<Record<C, Rule>>;
  /** Columns that a file may lack, as files of earlier releases do. */
  optional?: readonly C[];
  toRecord(cells: Readonly<Record<C, string>>): R;
  toCells(record: R): string[];
};

const matching = (pattern: RegExp, reason: string): Rule => ({ fits: (cell) => pattern.test(cell), reason });
const CODE: Rule = {
  fits: (cell) => /^[A-Z0-9]{2,20}$/.test(branchCode(cell)),
  reason: 'debe tener de 2 a 20 letras A-Z o digitos',
};
const POSTAL_CODE = matching(POSTAL_CODE_FORM, POSTAL_CODE_CELL_RULE);
const PHONE = matching(/^([0-9]{7,15})?$/, 'debe tener de 7 a 15 digitos, o quedar vacio');
const ROUTE: Rule = {
  fits: (cell) => cell === '' || ROUTE_FORM.test(routeOf(cell)),
  reason: 'debe tener de 1 a 8 letras A-Z, digitos o guiones, o quedar vacio',
};
const ZONE: Rule = {
  fits: (cell) => cell === '' || isTimeZone(cell),
  reason: 'debe ser una zona horaria como America/Tijuana, o quedar vacio',
};
const COLLECTED: Rule = {
  fits: (cell) =>
    cell === '' || (/^\d{1,5}(\.\d{1,2})?$/.test(cell) && Number(cell) > 0 && Number(cell) <= MAX_COLLECTED),
  reason: `debe ser un importe en pesos mayor que 0 y hasta ${MAX_COLLECTED}, sin comas ni $, o quedar vacio`,
};
const YES_NO: Rule = { fits: (cell) => YES.test(cell) || NO.test(cell), reason: 'debe ser si o no' };
// As in `shared/guides/guide.ts`, because these texts go onto the same labels.
const TEXT = matching(
  /^[^\p{Cc}\u2028\u2029]{0,120}$/u,
  'admite hasta 120 caracteres, sin caracteres de control',
);
const NAME = matching(
  /^[^\p{Cc}\u2028\u2029]{1,120}$/u,
  'debe tener de 1 a 120 caracteres, sin caracteres de control',
);

/** The columns of sucursales.csv. */
export const branchTable: CsvTable<Branch, keyof Branch> = {
  rules: {
    Codigo: CODE,
    Nombre: NAME,
    Estado: TEXT,
    Municipio: TEXT,
    Colonia: TEXT,
    Calle: TEXT,
    Numero: TEXT,
    CodigoPostal: POSTAL_CODE,
    Telefono: PHONE,
    Horario: TEXT,
    Zona: ZONE,
    Origen: YES_NO,
    Destino: YES_NO,
    Activa: YES_NO,
    CobraHasta: COLLECTED,
  },
  optional: ['Horario', 'Zona', 'CobraHasta'],
  toRecord: ({ Horario, Zona, CobraHasta, ...cells }) => ({
    ...cells,
    ...(Horario && { Horario }),
    ...(Zona && { Zona }),
    ...(CobraHasta && { CobraHasta: Number(CobraHasta) }),
    Codigo: branchCode(cells.Codigo),
    Origen: YES.test(cells.Origen),
    Destino: YES.test(cells.Destino),
    Activa: YES.test(cells.Activa),
  }),
  toCells: (branch) =>
    columnsOf(branchTable).map((column) => {
      const value = branch[column];
      return typeof value === 'boolean' ? (value ? 'si' : 'no') : String(value ?? '');
    }),
};

/** @param codes the loaded branches. Coverage by any other is refused. */
export function coverageTable(
  codes: ReadonlySet<string>,
): CsvTable<Coverage, 'CodigoPostal' | 'Sucursal' | 'Ruta'> {
  return {
    rules: {
      CodigoPostal: POSTAL_CODE,
      Sucursal: {
        fits: (cell) => codes.has(branchCode(cell)),
        reason: 'no esta entre las sucursales cargadas',
      },
      Ruta: ROUTE,
    },
    optional: ['Ruta'],
    toRecord: ({ CodigoPostal, Sucursal, Ruta }) => ({
      postalCode: CodigoPostal,
      code: branchCode(Sucursal),
      ...(Ruta && { route: routeOf(Ruta) }),
    }),
    toCells: ({ postalCode, code, route = '' }) => [postalCode, code, route],
  };
}

/** Returns a route as it is stored: in upper case, as codes of branches are. */
function routeOf(cell: string): string {
  return cell.toUpperCase();
}

/** Returns whether a text is the name of a zone, not an offset such as `+07:00`, which has no changes of clocks. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('es', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/** Returns the columns that a file must have. */
export function requiredColumnsOf<C extends string>(
  table: Pick<CsvTable<never, C>, 'rules' | 'optional'>,
): C[] {
  return columnsOf(table).filter((column) => !table.optional?.includes(column));
}

/** In the order of an export. */
export function columnsOf<C extends string>(table: Pick<CsvTable<never, C>, 'rules'>): C[] {
  return Object.keys(table.rules) as C[];
}
