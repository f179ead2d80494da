import { readFileSync } from 'node:fs';

/**
 * Breaks texts into lines as Chromium would, from the widths of the font's characters. Lengths are in em, the size of
 * the type, so that they hold for every size.
 */

export type Face = 'medium' | 'bold';

/** Each character's width in thousandths of an em, separated by blanks; a test measures them in Chromium. */
type WidthsFile = { characters: string } & Record<Face, string>;
const file: WidthsFile = JSON.parse(readFileSync(new URL('fonts/widths.json', import.meta.url), 'utf8'));
/** Widths in em by character code. */
const WIDTHS: Record<Face, Float64Array> = { medium: byCode(file.medium), bold: byCode(file.bold) };

function byCode(thousandths: string): Float64Array {
  // A label's texts are in the fonts' characters alone, of which the last is an arrow below U+2800.
  const widths = new Float64Array(0x2800).fill(1);
  for (const [i, width] of thousandths.split(' ').entries()) {
    widths[file.characters.charCodeAt(i)] = Number(width) / 1_000;
  }
  return widths;
}

/** Returns the width of a text in em, without kerning, which would make it narrower by about a hundredth. */
export function widthOf(text: string, face: Face): number {
  const widths = WIDTHS[face];
  let width = 0;
  for (let i = 0; i < text.length; i++) width += widths[text.charCodeAt(i)] ?? 1;
  return width;
}

/**
 * Breaks a text into lines no wider than `room` em: between words, or within a word that is longer than a line, which
 * `brokenWord` tells.
 */
export function breakLines(text: string, room: number, face: Face): { lines: string[]; brokenWord: boolean } {
  if (widthOf(text, face) <= room) return { lines: [text], brokenWord: false };
  const widths = WIDTHS[face];
  const lines: string[] = [];
  let start = 0;
  let space = -1;
  let width = 0;
  let brokenWord = false;
  for (let i = 0; i < text.length; i++) {
    const advance = widths[text.charCodeAt(i)] ?? 1;
    if (text[i] === ' ') space = i;
    // A loop, because the rest of a word that moves to the next line may be too long for that line too.
    while (width + advance > room && i > start && space !== i) {
      lines.push(text.slice(start, space > start ? space : i).trimEnd());
      brokenWord ||= space <= start;
      start = space > start ? space + 1 : i;
      width = widthOf(text.slice(start, i), face);
    }
    width += advance;
  }
  return { lines: [...lines, text.slice(start).trimEnd()], brokenWord };
}

/** Keeps the first `count` lines; the last of them then ends with an ellipsis and still fits into `room` em. */
export function cutLines(lines: string[], count: number, room: number, face: Face): string[] {
  if (lines.length <= count) return lines;
  let last = lines[count - 1] ?? '';
  while (last && widthOf(`${last}…`, face) > room) last = last.slice(0, -1);
  return [...lines.slice(0, count - 1), `${last.trimEnd()}…`];
}
