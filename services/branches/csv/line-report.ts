/** One thing that is wrong in a file; `line` counts from 1, the header being the first. */
export type LineProblem = { line: number; column?: string; value?: string; reason: string };

const MAX_SHOWN = 100;
/** Longest part of a value that is repeated, in characters. */
const MAX_VALUE = 40;

/** What is wrong in a file, line by line. It keeps only what it will show, however bad the file. */
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

/** The text's beginning within quotes, with what a terminal would obey, or hide, written as its code. */
export function quoted(value: string): string {
  const characters = [...value];
  const cut = characters.length > MAX_VALUE ? `${characters.slice(0, MAX_VALUE).join('')}...` : value;
  const visible = cut.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return `"${visible}"`;
}
