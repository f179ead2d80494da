import { inflateSync } from 'node:zlib';
import { type ObjectsByNumber, objectAt, UnsupportedPdfError, withNumbers } from '#shared/pdf/read-pdf.ts';

/** Chromium printed less text than the page's HTML has: the text is hidden, or its font is lost. */
export class MissingTextError extends Error {
  override name = 'MissingTextError';
}

/** @param page number of the page's object. @throws MissingTextError if the page shows fewer letters than `least`. */
export function requireLetters(objects: ObjectsByNumber, page: number, least: number): void {
  if (least === 0) return;
  const [, content] = /\/Contents (\d+) 0 R/.exec(textOf(objects, page)) ?? [];
  if (!content) throw new UnsupportedPdfError('A page has not one content stream');
  const shown = lettersIn(objects, Number(content));
  if (shown < least) throw new MissingTextError(`A page shows ${shown} letters of ${least}`);
}

/** Whether text is drawn in white, or fully transparent. `q` saves both and `Q` restores them. */
type Ink = { white: boolean; transparent: boolean };

/**
 * Counts the letters that can be seen, blanks included. Skia, which writes Chromium's PDFs, ends a line with each operator
 * (ISO 32000-1, Annex A), names resources by their objects, as in `/G3 gs` and `/X6 Do`, and writes no glyph that is outside
 * of the page or its clip.
 */
function lettersIn(objects: ObjectsByNumber, stream: number): number {
  const content = contentOf(objects, stream);
  const saved: Ink[] = [];
  let ink: Ink = { white: false, transparent: false };
  let letters = 0;
  for (
    let start = 0, end = content.indexOf('\n');
    end >= 0;
    start = end + 1, end = content.indexOf('\n', start)
  ) {
    // Most of a label's lines are text, or of no interest: those are told by their last letters, without a copy.
    if (content.startsWith('> Tj', end - 4)) {
      if (!ink.white && !ink.transparent) letters += glyphsBefore(content, end - 4);
      continue;
    }
    if (!'gsoqQ'.includes(content[end - 1] ?? '')) continue;
    const line = content.slice(start, end);
    const [, resource, operator] = /^\/[GX](\d+) (gs|Do)$/.exec(line) ?? [];
    if (line === 'q') saved.push(ink);
    else if (line === 'Q') ink = saved.pop() ?? ink;
    else if (line.endsWith(' rg')) ink = { ...ink, white: line.endsWith(' 1 1 1 rg') };
    else if (operator === 'gs') ink = { ...ink, transparent: isTransparent(objects, Number(resource)) };
    else if (operator === 'Do' && !ink.transparent) letters += lettersInGroup(objects, Number(resource));
  }
  return letters;
}

/** A glyph is four hexadecimal digits, all of them 0 if the font lacks the character. */
function glyphsBefore(content: string, end: number): number {
  let glyphs = 0;
  for (let i = content.lastIndexOf('<', end) + 1; i < end; i += 4) {
    if (!content.startsWith('0000', i)) glyphs++;
  }
  return glyphs;
}

function isTransparent(objects: ObjectsByNumber, state: number): boolean {
  return Number(/\/ca ([\d.]+)/.exec(textOf(objects, state))?.[1] ?? 1) === 0;
}

/** A group is what Chromium draws with an opacity. Pictures have no text. */
function lettersInGroup(objects: ObjectsByNumber, object: number): number {
  return textOf(objects, object).includes('/Subtype /Form') ? lettersIn(objects, object) : 0;
}

function textOf(objects: ObjectsByNumber, number: number): string {
  return withNumbers(objectAt(objects, number), (ref) => ref);
}

/** Returns the operators of a content stream. Skia does not compress the shortest. */
export function contentOf(objects: ObjectsByNumber, stream: number): string {
  const { pieces, body } = objectAt(objects, stream);
  const content = body.subarray(body.indexOf('\n') + 1);
  return (pieces.join('').includes('/FlateDecode') ? inflateSync(content) : content).toString('latin1');
}
