/**
 * The characters of the label's font, in the ranges that `document.css` loads it by: Latin with the letters of Europe's
 * languages, without combining marks. Written as the inside of a regular expression's class; a test prints each one.
 */
export const CHARSET =
  ' -~\u00a0-\u0113\u0116-\u012b\u012d-\u0131\u0133-\u0137\u0139-\u013e\u0140-\u0148\u014a-\u014d\u014f-\u017e' +
  '\u018f\u0192\u01a0\u01a1\u01af\u01b0\u01cd\u01ce\u01d4\u01e5\u01e7\u01e9\u01ef\u01ff\u0218-\u021b\u021f\u0228\u0229' +
  '\u0237\u0259\u0292\u02bb\u02bc\u02c6\u02da\u02dc\u1e80-\u1e85\u1ef2-\u1ef9\u2013\u2014\u2018-\u201a\u201c-\u201e' +
  '\u2022\u2026\u2032\u2033\u2039\u203a\u2044\u20a3\u20ac\u20ba\u20bd\u2122\u2212\u2215';
const ONLY_CHARSET = new RegExp(`^[${CHARSET}]*$`);
const OUTSIDE_CHARSET = new RegExp(`[^${CHARSET}]`, 'gu');
/** Marks that no letter took in, joiners, selectors and changes of direction, which show nothing by themselves. */
const INVISIBLE = /[\p{M}\p{Default_Ignorable_Code_Point}]/gu;
/** Stands for a letter or sign that the font lacks. */
const REPLACEMENT = '•';

/**
 * Returns a text in characters of the label's font: unchanged, or with a letter in its plain form (`ﬁ` → `fi`, `ṣ` →
 * `s`), or with a dot for each letter of another script and each emoji.
 *
 * Chromium would take characters that its font lacks from the machine's fonts: another look on every machine, boxes
 * where there are none, and a font of hundreds of kilobytes in the PDF.
 */
export function inCharset(text: string): string {
  if (ONLY_CHARSET.test(text)) return text;
  return text
    .normalize()
    .replace(INVISIBLE, '')
    .replace(/\s/g, ' ')
    .replace(
      OUTSIDE_CHARSET,
      (character) => character.normalize('NFKD').replace(OUTSIDE_CHARSET, '') || REPLACEMENT,
    );
}
