import { type CsvHeader, parseHeader } from './csv-header.ts';
import { InvalidFileError, type LineReport } from './line-report.ts';
import { parseLines } from './parse-lines.ts';
import { readLines } from './read-lines.ts';

/** A row by its columns' names, in the order of the columns. `line` counts from 1; cells are trimmed. */
export type Row<C extends string> = { line: number; cells: Record<C, string> };

const MAX_ROWS = 200_000;
/** Stands in decoded text for bytes that are not UTF-8. */
const REPLACEMENT_CHARACTER = '\uFFFD';

/** What a report says of a cell that is misread. */
export const NOT_UTF8 = 'no es UTF-8: guarde el archivo como "CSV UTF-8"';

/** Tells whether a cell is of a file in another encoding than UTF-8. */
export function isMisread(cell: string): boolean {
  return cell.includes(REPLACEMENT_CHARACTER);
}

/**
 * Reads the rows of a CSV file: `,` or `;` between cells, whichever the header has; CRLF or LF; quoted cells; columns in
 * any order. Rows without any value are skipped. UTF-8 may have a byte order mark.
 *
 * A row is a line: no cell may hold a line break. A quote that is not closed therefore spoils its own line and not the
 * lines after it, and every problem is reported with the line number that an editor shows.
 *
 * @param columns the names that the header may have, and must have where `required` does not name fewer; the cells of a
 * column that is not there are empty.
 * @param report receives what is wrong with single lines, which are left out.
 * @throws InvalidFileError for a wrong header, and for too many bytes or rows.
 */
export async function* readRows<C extends string>(
  path: string,
  columns: readonly C[],
  report: LineReport,
  { required = columns, encoding = 'utf8' }: { required?: readonly C[]; encoding?: BufferEncoding } = {},
): AsyncGenerator<Row<C>> {
  let header: CsvHeader<C> | undefined;
  let line = 1;
  let rows = 0;
  for await (const lines of readLines(path, encoding)) {
    header ??= parseHeader(lines.shift() ?? '', columns, required);
    // Empty lines count too: they take their time as well.
    if (line + lines.length > MAX_ROWS + 1) {
      throw new InvalidFileError(`El archivo tiene mas de ${MAX_ROWS} filas`);
    }
    for (const cells of parseLines(lines, header.delimiter)) {
      line++;
      if (!cells) report.add({ line, reason: 'comillas mal puestas o sin cerrar' });
      else if (cells.some((cell) => cell !== '')) {
        rows++;
        if (cells.length === header.width) yield { line, cells: header.toRecord(cells) };
        else report.add({ line, reason: `tiene ${cells.length} columnas, el encabezado ${header.width}` });
      }
    }
  }
  if (rows === 0 && report.count === 0) throw new InvalidFileError('El archivo no tiene filas');
}
