import type { Reading } from './reader.ts';

/** What a label must say. `code`: the text of its Code 128. */
export type ExpectedLabel = { number: string; code: string; name: string; street: string };

/** Returns what is wrong with a label, in Spanish; undefined if it is right. */
export function findMistake(
  { text, codes }: Reading,
  { number, code, name, street }: ExpectedLabel,
): string | undefined {
  const barcode = codes.find(({ format }) => format === 'Code128')?.text;
  const qr = codes.find(({ format }) => format === 'QRCode')?.text;
  if (barcode !== undefined && barcode !== code) return 'el código de barras es de otra guía';
  if (qr !== undefined && !qr.includes(number)) return 'el QR es de otra guía';
  if (text !== undefined) {
    const said = lettersIn(text);
    if (said === '') return 'sale en blanco';
    const missing = Object.entries({ 'el número': number, 'el nombre': name, 'la calle': street })
      .filter(([, each]) => !said.includes(lettersIn(each)))
      .map(([words]) => words);
    if (missing.length > 0) return `no dice ${missing.join(', ')}`;
  }
  if (barcode === undefined) return 'el código de barras no se lee';
  if (qr === undefined) return 'el QR no se lee';
  return undefined;
}

/** Leaves out blanks and signs, which differ where a line ends, and case, which a template may change. */
export function lettersIn(text: string): string {
  return text
    .normalize()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
