import { readFileSync } from 'node:fs';

/**
 * Breaks texts into lines as Chromium would, from the widths of the font's characters. Lengths are in em, for every
 * size of type.
 */

export type Face = 'medium' | 'bold';

/** In thousandths of an em, separated by blanks. A test measures them in Chromium. */
type WidthsFile = { characters: string } & Record<Face, string>;
const file: WidthsFile = JSON.parse(readFileSync(new URL('fonts/widths.json', import.meta.url), 'utf8'));
const WIDTHS: Record<Face, Float64Array> = { medium: byCode(file.medium), bold: byCode(file.bold) };

function byCode(thousandths: string): Float64Array {
  // The font's characters all stand below U+2800.
  const widths = new Float64Array(0x2800).fill(1);
  for (const [i, width] of thousandths.split(' ').entries()) {
    widths[file.characters.charCodeAt(i)] = Number(width) / 1_000;
  }
  return widths;
}

/** Returns the width in em without kerning, which would make a text about a hundredth narrower. */
export function widthOf(text: string, face: Face): number {
  const widths = WIDTHS[face];
  let width = 0;
  for (let i = 0; i < text.length; i++) width += widths[text.charCodeAt(i)] ?? 1;
  return width;
}

/**
 * Breaks a text into at most `count` lines no wider than `room` em. Breaks between words, or within a word that is longer
 * than a line. Cuts the rest with an ellipsis.
 * @returns `whole`: no word is broken, and nothing is cut.
 */
export function breakLines(
  text: string,
  room: number,
  count: number,
  face: Face,
): { lines: string[]; whole: boolean } {
  const lines: string[] = [];
  let whole = true;
  let rest = text;
  while (widthOf(rest, face) > room) {
    if (lines.length === count - 1) return { lines: [...lines, cut(rest, room, face)], whole: false };
    const fitting = Math.max(1, fittingLength(rest, room, face));
    const space = rest.lastIndexOf(' ', fitting);
    const [nextWord = ''] = rest.slice(space + 1).split(' ', 1);
    // A word that no line can hold begins on this line, to use the rest of the line.
    const isBroken = space <= 0 || widthOf(nextWord, face) > room;
    const end = isBroken ? fitting : space;
    whole &&= !isBroken;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return { lines: [...lines, rest.trimEnd()], whole };
}

function fittingLength(text: string, room: number, face: Face): number {
  const widths = WIDTHS[face];
  let width = 0;
  for (let i = 0; i < text.length; i++) {
    width += widths[text.charCodeAt(i)] ?? 1;
    if (width > room) return i;
  }
  return text.length;
}

/** Cuts a text with an ellipsis, which stays even if it alone is too wide. */
function cut(text: string, room: number, face: Face): string {
  const length = fittingLength(text, room - widthOf('…', face), face);
  return `${text.slice(0, length).trimEnd()}…`;
}
