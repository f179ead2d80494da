import { type Branch, branchCode } from '#shared/contracts/branch.ts';
import type { Coverage } from '../store/branch-store.ts';
import { FileRefused, isMangled, readRows } from './csv-file.ts';
import { LineReport } from './line-report.ts';

type Rule = { fits: (cell: string) => boolean; reason: string };

/** How records are written in a CSV file. The first column tells them apart. */
export type Table<R, C extends string = string> = {
  rules: Readonly<Record<C, Rule>>;
  toRecord(cells: Readonly<Record<C, string>>): R;
  toCells(record: R): string[];
  key(record: R): string;
};

const matching = (pattern: RegExp, reason: string): Rule => ({ fits: (cell) => pattern.test(cell), reason });
const CODE: Rule = {
  fits: (cell) => /^[A-Z0-9]{2,20}$/.test(branchCode(cell)),
  reason: 'debe tener de 2 a 20 letras A-Z o digitos',
};
const POSTAL_CODE = matching(
  /^[0-9]{5}$/,
  'debe tener 5 digitos (una hoja de calculo quita los ceros del principio)',
);
const PHONE = matching(/^([0-9]{7,15})?$/, 'debe tener de 7 a 15 digitos, o quedar vacio');
const YES_NO = matching(/^(s[ií]|true|1|no|false|0)$/i, 'debe ser si o no');
const YES = /^(s[ií]|true|1)$/i;
// Characters and length as in `shared/guide.ts`: these texts go onto the same labels.
const TEXT = matching(
  /^[^\p{Cc}\u2028\u2029]{0,120}$/u,
  'admite hasta 120 caracteres, sin caracteres de control',
);
const NAME = matching(
  /^[^\p{Cc}\u2028\u2029]{1,120}$/u,
  'debe tener de 1 a 120 caracteres, sin caracteres de control',
);

/** sucursales.csv */
export const branchTable: Table<Branch, keyof Branch> = {
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
    Origen: YES_NO,
    Destino: YES_NO,
    Activa: YES_NO,
  },
  toRecord: (cells) => ({
    ...cells,
    Codigo: branchCode(cells.Codigo),
    Origen: YES.test(cells.Origen),
    Destino: YES.test(cells.Destino),
    Activa: YES.test(cells.Activa),
  }),
  toCells: (branch) =>
    columnsOf(branchTable).map((column) => {
      const value = branch[column];
      return typeof value === 'boolean' ? (value ? 'si' : 'no') : value;
    }),
  key: ({ Codigo }) => Codigo,
};

/**
 * cobertura.csv
 *
 * @param codes the branches that there are; coverage by another one is refused.
 */
export function coverageTable(codes: ReadonlySet<string>): Table<Coverage, 'CodigoPostal' | 'Sucursal'> {
  return {
    rules: {
      CodigoPostal: POSTAL_CODE,
      Sucursal: {
        fits: (cell) => codes.has(branchCode(cell)),
        reason: 'no esta entre las sucursales cargadas',
      },
    },
    toRecord: ({ CodigoPostal, Sucursal }) => ({ postalCode: CodigoPostal, code: branchCode(Sucursal) }),
    toCells: ({ postalCode, code }) => [postalCode, code],
    key: ({ postalCode }) => postalCode,
  };
}

export function columnsOf<C extends string>(table: Pick<Table<never, C>, 'rules'>): C[] {
  return Object.keys(table.rules) as C[];
}

/**
 * All records of a file.
 *
 * @throws FileRefused unless all of it is right, with what is wrong line by line.
 */
export async function readTable<R, C extends string>(
  path: string,
  table: Table<R, C>,
  onProgress: (rows: number) => void,
): Promise<R[]> {
  const report = new LineReport();
  const columns = columnsOf(table);
  const [keyColumn = ''] = columns;
  const records: R[] = [];
  const lines = new Map<string, number>();
  for await (const { line, cells } of readRows(path, columns, report)) {
    for (const column of columns) {
      const reason = whatIsWrong(cells[column], table.rules[column]);
      if (reason) report.add({ line, column, value: cells[column], reason });
    }
    const record = table.toRecord(cells);
    const key = table.key(record);
    const earlier = lines.get(key);
    if (earlier === undefined) lines.set(key, line);
    else
      report.add({ line, column: keyColumn, value: key, reason: `repetido, ya esta en la linea ${earlier}` });
    records.push(record);
    onProgress(records.length);
  }
  if (report.count > 0) throw new FileRefused(`No se cargo nada. Errores: ${report.count}\n${report}`);
  return records;
}

function whatIsWrong(cell: string, { fits, reason }: Rule): string | undefined {
  if (isMangled(cell)) return 'no es UTF-8: guarde el archivo como "CSV UTF-8"';
  return fits(cell) ? undefined : reason;
}
