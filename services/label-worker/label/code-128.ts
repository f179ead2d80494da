/** Code 128 (ISO/IEC 15417). */

/** Widths in modules of the bars and spaces of each symbol character, by its value. */
const WIDTHS = [
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222',
  '123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321',
  '232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121',
  '313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224',
  '111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111',
  '111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113',
  '114311 411113 411311 113141 114131 311141 411131 211412 211214 211232',
].flatMap((line) => line.split(' ').map((widths) => [...widths].map(Number)));
const STOP = [2, 3, 3, 1, 1, 1, 2];

/** Values of characters that have another meaning in each code set. */
const [CODE_C, CODE_B, FNC_4, START_B, START_C] = [99, 100, 100, 104, 105];
/** Digits that follow each other from which set C, with two digits a character, is shorter. */
const [LEAST_DIGITS, LEAST_DIGITS_WITHIN] = [4, 6];

/**
 * Returns the widths of bars and spaces in turns, in modules, from the first bar to the last, as short as they can be.
 * @throws for characters beyond Latin-1.
 */
export function code128(text: string): number[] {
  const values = symbolsOf(text);
  const check = values.reduce((sum, value, i) => sum + value * Math.max(1, i), 0) % 103;
  return [...[...values, check].flatMap((value) => WIDTHS[value] as number[]), ...STOP];
}

function symbolsOf(text: string): number[] {
  let isC = digitsAt(text, 0) >= LEAST_DIGITS || /^\d\d$/.test(text);
  const values = [isC ? START_C : START_B];
  let at = 0;
  while (at < text.length) {
    const digits = digitsAt(text, at);
    if (isC && digits < 2) {
      values.push(CODE_B);
      isC = false;
    } else if (isC) {
      values.push(Number(text.slice(at, at + 2)));
      at += 2;
    } else if (
      digits % 2 === 0 &&
      digits >= (at + digits === text.length ? LEAST_DIGITS : LEAST_DIGITS_WITHIN)
    ) {
      values.push(CODE_C);
      isC = true;
    } else {
      values.push(...valuesOf(text.charCodeAt(at)));
      at++;
    }
  }
  return values;
}

function digitsAt(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++;
  return end - at;
}

/** Returns a character in set B. Those of Latin-1 beyond ASCII have a shift before them. */
function valuesOf(code: number): number[] {
  if (code >= 0x20 && code < 0x7f) return [code - 0x20];
  if (code >= 0xa0 && code <= 0xff) return [FNC_4, code - 0xa0];
  throw new Error(`Code 128 has no ${JSON.stringify(String.fromCharCode(code))}`);
}
