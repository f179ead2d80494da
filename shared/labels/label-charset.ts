/** What a label prints, for the label worker and the api's warnings (docs/contract.md "Guides"). */

/**
 * The characters of the label's fonts without combining marks, for a class in a regular expression. A test prints
 * each one.
 */
export const CHARSET =
  ' -~\u00a0-\u00ac\u00ae-\u02b2\u02b4\u02b7-\u02bc\u02bf\u02c0\u02c6-\u02cc\u02ce-\u02d1\u02d4\u02d6-\u02de' +
  '\u02e0-\u02e9\u02ee\u0370-\u0373\u0375-\u0377\u037a-\u037d\u037f\u0384-\u0386\u0388-\u038a\u038c' +
  '\u038e-\u03a1\u03a3-\u03e1\u03f0-\u0479\u048a-\u052f\u0e3f\u1d4a\u1d6c-\u1d76\u1d91\u1dbf' +
  '\u1e02-\u1e05\u1e0a-\u1e0f\u1e12\u1e13\u1e1e\u1e1f\u1e24\u1e25\u1e2e\u1e2f\u1e36\u1e37\u1e3c-\u1e41' +
  '\u1e44-\u1e47\u1e4a-\u1e4d\u1e50-\u1e57\u1e5a\u1e5b\u1e60-\u1e63\u1e6a-\u1e71\u1e78\u1e79' +
  '\u1e80-\u1e85\u1e92\u1e93\u1e9e\u1ea0-\u1ef9\u2010\u2012-\u2016\u2018-\u201a\u201c-\u201e' +
  '\u2020-\u2022\u2026\u2030\u2032\u2033\u2039\u203a\u203f\u2044\u2070\u2074-\u208e\u20a1\u20a3\u20a6' +
  '\u20a9-\u20ac\u20af\u20b1\u20b2\u20b4\u20b9\u20ba\u20bd\u20bf\u210a\u2113\u2116\u2122\u212e' +
  '\u2153-\u215f\u2190-\u2193\u2202\u2205\u2206\u220f\u2211\u2212\u2215\u2219\u221a\u221e\u222b\u2248' +
  '\u2260\u2264\u2265\u22c5\u25a0\u25a1\u25aa\u25ab\u25b2\u25b3\u25b6\u25b7\u25ba\u25bc\u25bd\u25c0' +
  '\u25c1\u25c4\u25c6\u25c7\u25ca\u25cb\u25ce\u25cf\u25e6\u2600-\u2602\u2605\u2606\u260e-\u2612\u261b' +
  '\u261e\u2620\u2660-\u2667\u26a0\u2701\u2702\u2706\u2708\u2709\u270c-\u270f\u2713-\u2718\u2726\u2731' +
  '\u2736\u2744\u274f\u2764\u2794\u2799\u279c\u27a4';
const OUTSIDE_CHARSET = new RegExp(`[^${CHARSET}]`, 'u');
const ALL_OUTSIDE_CHARSET = new RegExp(OUTSIDE_CHARSET, 'gu');
/** These characters show nothing: marks that did not join a letter, joiners, selectors, changes of direction. */
const INVISIBLE = /[\p{M}\p{Default_Ignorable_Code_Point}]/gu;
const REPLACEMENT = '•';

/**
 * Returns a text in characters of the label's fonts. Other letters become their plain form (`ﬁ` → `fi`, `ḳ` → `k`) or a
 * dot. Chromium would otherwise take characters from the machine's fonts, which differ and enlarge the PDF.
 */
export function inCharset(text: string): string {
  if (!OUTSIDE_CHARSET.test(text)) return text;
  return withoutMarks(text.normalize()).replace(
    ALL_OUTSIDE_CHARSET,
    (character) => plainForm(character) ?? REPLACEMENT,
  );
}

/** Returns the characters of a text for which its label prints a dot, each once. */
export function unprintable(text: string): string[] {
  const outside = new Set(withoutMarks(text.normalize()).match(ALL_OUTSIDE_CHARSET));
  return [...outside].filter((character) => plainForm(character) === undefined);
}

/** Returns whether a label prints a text without a dot. It is fast, because every text of a creation is checked. */
export function isPrintable(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    if (code > 0xffff) i++;
    if (known[code] !== YES && !prints(code)) return false;
  }
  return true;
}

const [YES, NO] = [1, 2];
/** By code point, for the characters that were checked. */
const known = new Uint8Array(0x110000);

/**
 * Checks a character alone. It prints the same within a letter with marks, because such a letter prints in its plain form.
 */
function prints(code: number): boolean {
  known[code] ||= unprintable(String.fromCodePoint(code)).length === 0 ? YES : NO;
  return known[code] === YES;
}

/** Returns a character without its marks and ligatures, or undefined if the fonts lack a part of it. */
function plainForm(character: string): string | undefined {
  const plain = withoutMarks(character.normalize('NFKD'));
  return OUTSIDE_CHARSET.test(plain) ? undefined : plain;
}

function withoutMarks(text: string): string {
  return text.replace(INVISIBLE, '').replace(/\s/g, ' ');
}
