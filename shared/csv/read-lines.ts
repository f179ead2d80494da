import { createReadStream } from 'node:fs';
import { InvalidFileError } from './line-report.ts';

const MAX_MIB = 64;
/** Longest line, in characters: several times the longest row that the columns' rules allow. */
const MAX_LINE = 10_000;

/**
 * Reads a text file piece by piece and yields the lines that each piece of 64 KiB completes, at least one, without
 * their `\n`. Memory is bounded whatever the file holds; the path may also be a pipe.
 *
 * @throws InvalidFileError for too many bytes, or a line that is too long.
 */
export async function* readLines(path: string, encoding: BufferEncoding): AsyncGenerator<string[]> {
  const file = createReadStream(path, encoding);
  let rest = '';
  for await (const piece of file) {
    requireSize(file.bytesRead);
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) {
      throw new InvalidFileError('El archivo tiene lineas demasiado largas, no parece un CSV');
    }
    if (lines.length > 0) yield lines;
  }
  if (rest) yield [rest];
}

/** @throws InvalidFileError for a file of more bytes than one may have. */
function requireSize(bytes: number): void {
  if (bytes > MAX_MIB * 2 ** 20) throw new InvalidFileError(`El archivo mide mas de ${MAX_MIB} MiB`);
}
