/** Numbers as people and spreadsheets write them. */

/** How spreadsheets shorten a long number; its last digits are lost. */
export const SHORTENED = /^[+-]?\d(?:[.,]\d+)?e\+?\d+$/i;
export const NUMBER_REFUSALS = {
  shortened:
    'Este número viene acortado, sin sus últimas cifras. Escríbalo completo; en una hoja de cálculo, dé antes a la columna el formato Texto.',
  ambiguous: 'No se sabe si la coma separa miles o decimales. Escríbalo sin comas, con punto decimal.',
  number: 'No es un número.',
} as const;

/** Reads a number with its unit or currency; a comma is a decimal one where it cannot separate thousands. */
export function readNumber(cell: string): { value?: number; refusal?: string } {
  if (SHORTENED.test(cell)) return { refusal: NUMBER_REFUSALS.shortened };
  const bare = cell
    .replace(/^(?:mxn?)?\s*\$?\s*/i, '')
    .replace(/\s*(?:kgs?|kilos?|cms?|mxn|pesos)\.?$/i, '')
    .replaceAll(/\s/g, '');
  if (!/^-?\d[\d.,]*$|^-?[.,]\d+$/.test(bare)) return { refusal: NUMBER_REFUSALS.number };
  const plain = unpunctuated(bare);
  if (plain === undefined) return { refusal: NUMBER_REFUSALS.ambiguous };
  return { value: Number(plain) };
}

function unpunctuated(number: string): string | undefined {
  const isThousands = (separator: string) => new RegExp(`^-?\\d{1,3}(?:\\${separator}\\d{3})+$`);
  const last = Math.max(number.lastIndexOf(','), number.lastIndexOf('.'));
  const [whole, decimals] = [number.slice(0, last), number.slice(last + 1)];
  const mark = number[last];
  if (last < 0) return number;
  if (number.indexOf(mark as string) === last && !whole.includes(mark === ',' ? '.' : ',')) {
    if (mark === '.') return number;
    // `1,234`: thousands here, decimals in another country. `0,250` is no thousands.
    return decimals.length === 3 && isThousands(',').test(number) && !/^-?0/.test(number)
      ? undefined
      : `${whole || '0'}.${decimals}`;
  }
  const separator = mark === ',' ? '.' : ',';
  if (isThousands(mark as string).test(number)) return number.replaceAll(mark as string, '');
  return isThousands(separator).test(whole) ? `${whole.replaceAll(separator, '')}.${decimals}` : undefined;
}
