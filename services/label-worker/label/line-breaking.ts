import { readFileSync } from 'node:fs';

/**
 * Breaks texts into lines as Chromium would, from the widths of the font's characters. Lengths are in em, for every
 * size of type.
 */

export type Face = 'medium' | 'bold';

/** A blank at which no line breaks, as within a phone. It prints as a blank. */
export const NO_BREAK = '\u00a0';

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
  widths[NO_BREAK.charCodeAt(0)] = widths[' '.charCodeAt(0)] as number;
  return widths;
}

/** Returns the width in em; labels have no kerning (document.css). */
export function widthOf(text: string, face: Face): number {
  const widths = WIDTHS[face];
  let width = 0;
  for (let i = 0; i < text.length; i++) width += widths[text.charCodeAt(i)] ?? 1;
  return width;
}

/** In em: the ellipsis and a few letters of the text that a line shows before a tail. */
const LEAST_BEFORE_TAIL = 2;

/** `cut`: some of the text is left out. `whole`: nothing is left out, and no word is broken. */
export type Broken = { lines: string[]; whole: boolean; cut: boolean };

/**
 * Breaks a text into at most `count` lines no wider than `room` em. Breaks between words, or within a word that is longer
 * than a line. Cuts the rest with an ellipsis.
 * @param reserve room in em that the last of `count` lines leaves free.
 */
export function breakLines(text: string, room: number, count: number, face: Face, reserve = 0): Broken {
  const lines: string[] = [];
  let whole = true;
  let rest = text;
  while (true) {
    const isLast = lines.length === count - 1;
    const lineRoom = isLast ? room - reserve : room;
    if (widthOf(rest, face) <= lineRoom) return { lines: [...lines, rest.trimEnd()], whole, cut: false };
    if (isLast) return { lines: [...lines, cut(rest, lineRoom, face)], whole: false, cut: true };
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
}

/** Breaks a text and its tail, which stays whole where the text before it is cut, and on one line if it fits. */
export function breakWithTail(text: string, tail: string, room: number, count: number, face: Face): Broken {
  const together = breakLines(`${text} ${tail.replaceAll(' ', NO_BREAK)}`, room, count, face);
  const isTogether = together.whole || (!together.cut && widthOf(tail, face) <= room);
  const broken = isTogether ? together : breakLines(`${text} ${tail}`, room, count, face);
  if (!broken.cut) return broken;
  const reserve = widthOf(` ${tail}`, face);
  // With less room beside it, a tail begins a line of its own.
  if (reserve < room - LEAST_BEFORE_TAIL) {
    const { lines } = breakLines(text, room, count, face, reserve);
    return { lines: [...lines.slice(0, -1), `${lines.at(-1)} ${tail}`], whole: false, cut: true };
  }
  if (count === 1) return { lines: [cut(text, room, face)], whole: false, cut: true };
  const after = breakLines(tail, room, count - 1, face).lines;
  const before = breakLines(text, room, count - after.length, face).lines;
  return { lines: [...before, ...after], whole: false, cut: true };
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
