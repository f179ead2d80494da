import { DOTS_PER_POINT } from '../drawing.ts';
import { breakLines, type Face } from './line-breaking.ts';

/**
 * Fits texts into their room in place of Chromium's layout (docs/decisions/0001-text-set-by-us.md). Positions are in
 * dots, sizes of type in points.
 */

/** Shares of the full size that are tried. They are few, so that sizes on a label look chosen. */
const SIZE_STEPS = [1, 0.8, 0.62, 0.45, 0];
/** Scales of a column that are tried. Only the longest fields need the last one. */
const SMALLEST_SCALE = 0.65;
const COLUMN_SCALES = [1.25, 1.12, 1, 0.9, 0.8, 0.75, SMALLEST_SCALE];
/** In sizes of the type: between baselines, above and below a baseline, and between a line and the next field. */
const LEADING = 1.12;
const CAP_HEIGHT = 0.7;
const DESCENT = 0.2;
const FIELD_SPACING = 0.3;

export type Typesetting = {
  /** Of the full size, in points. */
  size: number;
  /** In dots; without it, one line of any length. */
  width?: number;
  /** Most lines at the full size, 1 by default. Smaller type may take more lines, but no more height. */
  maxLines?: number;
  /** In points; 6 by default. */
  minSize?: number;
  bold?: boolean;
};
/** `y` is the baseline. */
export type Line = { text: string; y: number };
/** `y` counts from the top of the first line's capitals, `size` is in points, `height` in dots. */
export type FittedText = { lines: Line[]; size: number; height: number };

/**
 * Fits a text into its room with as few and as large lines as possible, without breaking a word. A longer text gets
 * smaller, down to `minSize`, on more lines in the same height. Only then words are broken, and the rest is cut.
 */
export function fitText(given: string, typesetting: Typesetting): FittedText {
  const { size: fullSize, width, maxLines = 1, minSize = 6, bold } = typesetting;
  const face: Face = bold ? 'bold' : 'medium';
  const text = given.trim().replace(/ {2,}/g, ' ');
  const height = heightOf(maxLines, fullSize);
  for (const step of SIZE_STEPS) {
    const size = Math.max(minSize, fullSize * step);
    const room = width === undefined ? Number.POSITIVE_INFINITY : width / (size * DOTS_PER_POINT);
    const { lines, whole } = breakLines(text, room, lineCount(height, size), face);
    if (whole || step === 0) return placed(lines, size);
  }
  throw new Error('The last step takes any text');
}

function lineCount(height: number, size: number): number {
  let count = 1;
  while (heightOf(count + 1, size) <= height + 0.01) count++;
  return count;
}

/** Returns the height in dots, from the top of the first line's capitals to below the last line. */
function heightOf(lines: number, size: number): number {
  return (CAP_HEIGHT + (lines - 1) * LEADING + DESCENT) * size * DOTS_PER_POINT;
}

function placed(texts: string[], size: number): FittedText {
  const baseline = (i: number) => (CAP_HEIGHT + i * LEADING) * size * DOTS_PER_POINT;
  return {
    lines: texts.map((text, i) => ({ text, y: baseline(i) })),
    size,
    height: heightOf(texts.length, size),
  };
}

/** In dots; `gap` adds to the fields' own spacing. */
export type Column = {
  width: number;
  height: number;
  gap: number;
  /** How many times larger few or short fields may get; 1 by default. */
  maxScale?: number;
};
export type Field = Omit<Typesetting, 'width'> & { text: string };

/**
 * Fits fields one below the other into a column, as large as its room allows.
 * @returns each field with its lines, whose `y` counts from the column's top.
 * @throws if the column is too low for the longest fields. The trial then refuses the template, before any label.
 */
export function fitColumn<F extends Field>(fields: readonly F[], column: Column): (F & FittedText)[] {
  const tallest = tallestOf(fields, column);
  if (tallest > column.height)
    throw new Error(
      `the fields of {{#column}} may be ${Math.ceil(tallest)} dots high, and it has ${column.height}`,
    );
  const scales = COLUMN_SCALES.filter((scale) => scale <= (column.maxScale ?? 1));
  for (const scale of scales) {
    const { fitted, height, reduced } = stacked(fields, column, scale);
    // A field that gets smaller at a larger scale would look smaller than its neighbours for no reason.
    if ((height <= column.height && !(reduced && scale > 1)) || scale === SMALLEST_SCALE) return fitted;
  }
  throw new Error('The last scale takes any fields');
}

/** Returns the height at the smallest scale, if each field has all of its lines. */
function tallestOf(fields: readonly Field[], { gap }: Column): number {
  return fields.reduce((height, { size, maxLines = 1, minSize = 6 }, i) => {
    const scaled = size * SMALLEST_SCALE;
    const largest = Math.max(minSize, scaled);
    const spacing = i > 0 ? (gap + FIELD_SPACING * largest * DOTS_PER_POINT) * SMALLEST_SCALE : 0;
    return height + spacing + Math.max(heightOf(maxLines, scaled), heightOf(1, largest));
  }, 0);
}

function stacked<F extends Field>(fields: readonly F[], { width, gap }: Column, scale: number) {
  let height = 0;
  let reduced = false;
  const fitted = fields.map((field, i) => {
    const size = field.size * scale;
    const text = fitText(field.text, { ...field, size, width });
    if (i > 0) height += (gap + FIELD_SPACING * text.size * DOTS_PER_POINT) * scale;
    const top = height;
    height += text.height;
    reduced ||= text.size < size;
    return { ...field, ...text, lines: text.lines.map((line): Line => ({ ...line, y: top + line.y })) };
  });
  return { fitted, height, reduced };
}
