/** The file cannot be used; the message says why, in Spanish. */
export class InvalidFileError extends Error {}

/** One thing that is wrong in a file; `line` counts from 1, which is the header. */
export type LineProblem = { line: number; column?: string; value?: string; reason: string };

const MAX_SHOWN = 100;
/** Longest part of a value that a report repeats, in characters. */
const MAX_VALUE = 40;

/** Collects what is wrong in a file, line by line. It counts every problem and keeps only those that it will show. */
export class LineReport {
  #count = 0;
  readonly #shown: string[] = [];

  get count(): number {
    return this.#count;
  }

  add(problem: LineProblem): void {
    this.#count++;
    if (this.#shown.length < MAX_SHOWN) this.#shown.push(describe(problem));
  }

  toString(): string {
    const rest = this.#count - this.#shown.length;
    return [...this.#shown, ...(rest > 0 ? [`y ${rest} mas`] : [])].map((line) => `  ${line}`).join('\n');
  }
}

function describe({ line, column, value, reason }: LineProblem): string {
  const where = [`linea ${line}`, ...(column === undefined ? [] : [column])].join(', ');
  return `${where}${value === undefined ? '' : ` ${quoted(value)}`}: ${reason}`;
}

/** Quotes the beginning of a text, with the codes of the characters that a terminal would obey or hide. */
export function quoted(value: string): string {
  const characters = [...value];
  const cut = characters.length > MAX_VALUE ? `${characters.slice(0, MAX_VALUE).join('')}...` : value;
  const visible = cut.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return `"${visible}"`;
}
