import { type Reading, readCell } from './cells.ts';
import { FIELDS, fieldAt, MEASURES, SIDES, WEIGHT } from './fields.ts';
import { headingRow, type Mapping } from './headings.ts';
import { type Cells, isEmpty } from './reading/read-text.ts';

/** An order: its cells by the paths of fields, as the person wrote them. */
export type Row = {
  /** Tells rows apart, whatever their order. */
  id: number;
  /** Its line in the file, from 1. */
  line: number;
  cells: Readonly<Record<string, string>>;
  /** What the file has in columns that mean nothing here. */
  others: readonly string[];
};

/** A file whose headings are known. */
export type Sheet = {
  headings: string[];
  body: Cells;
  firstLine: number;
  /** Rows that are not empty. */
  count: number;
};

export function countOfRows(count: number): string {
  return `${count} ${count === 1 ? 'fila' : 'filas'}.`;
}

/** Splits a file into its headings and what is below. */
export function sheetOf(cells: Cells): Sheet {
  const at = headingRow(cells);
  const headings = (cells[at] ?? []).map((heading) => heading.trim());
  const body = cells.slice(at + 1);
  return { headings, body, firstLine: at + 2, count: body.filter((row) => !isEmpty(row)).length };
}

/**
 * Makes rows of a file. The columns of one field are joined. A line that only goes on with the order above it, as those of shops
 * with several articles, adds its contents to that.
 */
export function rowsOf({ headings, body, firstLine }: Sheet, mapping: Mapping): Row[] {
  const rows: Row[] = [];
  for (const [i, texts] of body.entries()) {
    const cells: Record<string, string> = {};
    const others: string[] = [];
    for (const [column] of headings.entries()) {
      const [path, text] = [mapping[column], texts[column]?.trim() ?? ''];
      if (path === undefined) others.push(text);
      else if (text !== '') put(cells, path, path === WEIGHT ? withUnit(text, headings[column]) : text);
    }
    if (Object.keys(cells).length === 0) continue;
    const above = rows.at(-1);
    if (above && goesOn(above.cells, cells))
      rows[rows.length - 1] = withContents(above, cells['Producto.Contenido']);
    else rows.push({ id: rows.length, line: firstLine + i, cells, others });
  }
  return rows;
}

/** Of two numbers for one field, the first counts. */
function put(cells: Record<string, string>, path: string, text: string): void {
  if (path === MEASURES.path) {
    const sides = text.split(/[x×*]/i);
    // What are not three sides is refused where it stands.
    const texts = sides.length === SIDES.length ? sides : [text];
    for (const [i, side] of texts.entries()) put(cells, SIDES[i] as string, side.trim());
  } else if (cells[path] === undefined) cells[path] = text;
  else if (fieldAt(path)?.kind !== 'number') cells[path] += ` ${text}`;
}

function withUnit(weight: string, heading = ''): string {
  return isInGrams(heading) && /\d$/.test(weight) ? `${weight} g` : weight;
}

export function isInGrams(heading: string): boolean {
  return /\b(?:g|grs?|gramos)\b/i.test(heading);
}

function goesOn(above: Row['cells'], cells: Row['cells']): boolean {
  const isRecipient = (path: string) =>
    /^Destinatario\.(?:Nombre|CodigoPostal|DestinoCode|Calle)$/.test(path);
  return (
    cells.Referencia !== undefined &&
    cells.Referencia === above.Referencia &&
    !Object.keys(cells).some(isRecipient)
  );
}

/** Longest contents of a guide, in characters. */
const MAX_CONTENTS = 250;

function withContents(row: Row, more: string | undefined): Row {
  if (more === undefined) return row;
  const contents = [row.cells['Producto.Contenido'], more].filter((text) => text !== undefined).join(', ');
  return { ...row, cells: { ...row.cells, 'Producto.Contenido': contents.slice(0, MAX_CONTENTS) } };
}

/** Returns what each cell of a row says; cells that say nothing are left out. */
export function readRow(cells: Row['cells']): Map<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const { path } of FIELDS) {
    const text = cells[path];
    if (text !== undefined && text.trim() !== '') readings.set(path, readCell(path, text));
  }
  return readings;
}
