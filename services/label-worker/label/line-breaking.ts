import { readFileSync } from 'node:fs';

/**
 * Sets texts in lines, as Chromium would: on a label every text has its room, and finding out here what fits costs a
 * thirtieth of what Chromium's boxes cost. Lengths are in dots (8 a millimetre), sizes of type in points.
 */

export const DOTS_PER_POINT = (8 * 25.4) / 72;
/** Few sizes rather than any, so that a label looks set and not squeezed. */
const STEPS = [1, 0.8, 0.62, 0.45, 0];
/** Between baselines, in sizes of type; and what a line fills above and below its baseline. */
const LEADING = 1.12;
const CAP_HEIGHT = 0.7;
const DESCENT = 0.2;

export type Face = 'medium' | 'bold';
export type Line = { text: string; y: number };
export type Setting = {
  /** Of the type, in points. */
  size: number;
  /** Room in dots; without it the text is one line of any length. */
  width?: number | undefined;
  /** Most lines at the full size; smaller ones take more, but no more height. */
  lines?: number | undefined;
  /** Smallest type, in points. */
  least?: number | undefined;
  face: Face;
};

/** Advance of each character in the label's font, in thousandths of the size; a test measures them in Chromium. */
type Advances = { characters: string } & Record<Face, string>;
const advances: Advances = JSON.parse(readFileSync(new URL('fonts/widths.json', import.meta.url), 'utf8'));
/** Advances by character code, in sizes of type. */
const WIDTHS: Record<Face, Float64Array> = { medium: byCode(advances.medium), bold: byCode(advances.bold) };

function byCode(thousandths: string): Float64Array {
  // What the font lacks never gets here (`drawable.ts`).
  const widths = new Float64Array(0x2200).fill(1);
  for (const [i, width] of thousandths.split(' ').entries()) {
    widths[advances.characters.charCodeAt(i)] = Number(width) / 1_000;
  }
  return widths;
}

/** Width of a text, in sizes of its type. Kerning is left out: it makes texts narrower, by a hundredth or so. */
export function widthOf(text: string, face: Face): number {
  const widths = WIDTHS[face];
  let width = 0;
  for (let i = 0; i < text.length; i++) width += widths[text.charCodeAt(i)] ?? 1;
  return width;
}

/** Lines of a text; each `y` is that of its baseline, from the top of the first line's capitals. */
export type SetText = { lines: Line[]; size: number; height: number };

/**
 * Text in as few and as large lines as its room allows, no word broken: too long, it gets smaller, down to the least, on more lines but no
 * higher; then it is cut with an ellipsis.
 *
 * @returns its lines, the size of type in points, and the height in dots.
 */
export function setText(
  given: string,
  { size: full, width, lines: most = 1, least = 6, face }: Setting,
): SetText {
  const text = given.trim().replace(/ {2,}/g, ' ');
  const highest = heightOf(most, full);
  for (const step of STEPS) {
    const size = Math.max(least, full * step);
    const room = width === undefined ? Number.POSITIVE_INFINITY : width / (size * DOTS_PER_POINT);
    let count = 1;
    while (heightOf(count + 1, size) <= highest + 0.01) count++;
    const broken = breakLines(text, room, face);
    if ((broken.lines.length > count || broken.word) && step > 0) continue;
    const lines = cut(broken.lines, count, room, face);
    const baseline = (i: number) => (CAP_HEIGHT + i * LEADING) * size * DOTS_PER_POINT;
    const placed = lines.map((text, i): Line => ({ text, y: baseline(i) }));
    return { lines: placed, size, height: heightOf(lines.length, size) };
  }
  throw new Error('unreachable: the last step takes any text');
}

/** From the top of the first line's capitals to below the last line, in dots. */
function heightOf(lines: number, size: number): number {
  return (CAP_HEIGHT + (lines - 1) * LEADING + DESCENT) * size * DOTS_PER_POINT;
}

/**
 * Lines no wider than `room` sizes of type: between words, or within one that is longer than a line (`word`).
 */
function breakLines(text: string, room: number, face: Face): { lines: string[]; word: boolean } {
  if (widthOf(text, face) <= room) return { lines: [text], word: false };
  const widths = WIDTHS[face];
  const lines: string[] = [];
  let start = 0;
  let space = -1;
  let width = 0;
  let word = false;
  for (let i = 0; i < text.length; i++) {
    const advance = widths[text.charCodeAt(i)] ?? 1;
    if (text[i] === ' ') space = i;
    // Again for what comes down from the line above, when the word itself is too long.
    while (width + advance > room && i > start && space !== i) {
      lines.push(text.slice(start, space > start ? space : i).trimEnd());
      word ||= space <= start;
      start = space > start ? space + 1 : i;
      width = widthOf(text.slice(start, i), face);
    }
    width += advance;
  }
  return { lines: [...lines, text.slice(start).trimEnd()], word };
}

function cut(lines: string[], count: number, room: number, face: Face): string[] {
  if (lines.length <= count) return lines;
  let last = lines[count - 1] ?? '';
  while (last && widthOf(`${last}…`, face) > room) last = last.slice(0, -1);
  return [...lines.slice(0, count - 1), `${last.trimEnd()}…`];
}

export type Field = Setting & { text: string };
/** A column's room in dots, with `gap` between fields beside their leading. */
export type Column = { width: number; height: number; gap: number; larger?: number | undefined };

/**
 * Fields one below the other in their column.
 *
 * @param column `larger`: with few or short fields, all are up to so many times as large.
 * @returns each field with its lines, their baselines from the column's top.
 */
export function setColumn<F extends Field>(fields: F[], column: Column) {
  const scales = SCALES.filter((scale) => scale <= (column.larger ?? 1));
  for (const scale of scales) {
    let top = 0;
    let reduced = false;
    const set = fields.map((field, i) => {
      const size = field.size * scale;
      const { lines, ...text } = setText(field.text, { ...field, size, width: column.width });
      if (i > 0) top += (column.gap + BETWEEN * text.size * DOTS_PER_POINT) * scale;
      const placed = lines.map((line): Line => ({ ...line, y: top + line.y }));
      top += text.height;
      reduced ||= text.size < size;
      return { ...field, ...text, lines: placed };
    });
    if ((top <= column.height && !(reduced && scale > 1)) || scale === scales.at(-1)) return set;
  }
  throw new Error('unreachable: the last scale takes any fields');
}
/** Between a line and the capitals of the next field, in its sizes. */
const BETWEEN = 0.3;
/** The last is for a column of nothing but its longest fields. */
const SCALES = [1.25, 1.12, 1, 0.9, 0.8];
