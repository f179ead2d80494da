import { DOTS_PER_POINT } from '../drawing.ts';
import { type Broken, breakLines, breakWithTail, type Face, widthOf } from './line-breaking.ts';

/**
 * Fits texts into their room in place of Chromium's layout (docs/decisions/0001-text-set-by-us.md). Positions are in
 * dots, sizes of type in points.
 */

/** Shares of the full size that are tried. They are few, so that sizes on a label look chosen. */
const SIZE_STEPS = [1, 0.8, 0.62, 0.45, 0];
/** Scales of a column that are tried. Only the longest fields need the last ones. */
const COMMON_SCALES = [1.25, 1.18, 1.12, 1.06, 1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65];
/** Scales of fields that stay whole, while the others are cut. At the last one, type has its least size. */
const WHOLE_SCALES = [1, 0.9, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.3];
const SMALLEST_COMMON = 0.65;
const SMALLEST_WHOLE = 0.3;
/** In sizes of the type: between baselines, above and below a baseline, and between a line and the next field. */
const LEADING = 1.12;
const CAP_HEIGHT = 0.7;
const DESCENT = 0.2;
const FIELD_SPACING = 0.3;
/** Dots between a framed text and the outside of its frame: at the sides, above and below. */
const FRAME = { side: 10, edge: 8 };

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
/**
 * `y` counts from the top of the first line's capitals, `size` is in points, `height` in dots. `whole`: nothing is cut, and
 * no word is broken. `cut`: an ellipsis stands for what is left out.
 */
export type FittedText = { lines: Line[]; size: number; height: number; whole: boolean; cut: boolean };

/**
 * Fits a text into its room with as few and as large lines as possible, without breaking a word. A longer text gets
 * smaller, down to `minSize`, on more lines in the same height. Only then words are broken, and the rest is cut.
 */
export function fitText(given: string, typesetting: Typesetting): FittedText {
  const { size, maxLines = 1 } = typesetting;
  return fitInto(normalized(given), typesetting, heightOf(maxLines, size));
}

function normalized(text: string): string {
  return text.trim().replace(/ {2,}/g, ' ');
}

/** Fits a text into a height in dots, or on one line if that is higher. */
function fitInto(
  text: string,
  {
    size: fullSize,
    width,
    minSize = 6,
    bold,
  }: Pick<Typesetting, 'size' | 'width'> & {
    [Option in 'minSize' | 'bold']?: Typesetting[Option] | undefined;
  },
  height: number,
): FittedText {
  const face = faceOf(bold);
  for (const step of SIZE_STEPS) {
    const size = Math.max(minSize, fullSize * step);
    if (step > 0 && heightOf(1, size) > height + 0.01) continue;
    const room = width === undefined ? Number.POSITIVE_INFINITY : width / (size * DOTS_PER_POINT);
    const broken = breakLines(text, room, lineCount(height, size), face);
    if (broken.whole || step === 0) return placed(broken, size);
  }
  throw new Error('The last step takes any text');
}

function faceOf(bold: boolean | undefined): Face {
  return bold ? 'bold' : 'medium';
}

function lineCount(height: number, size: number): number {
  const leading = LEADING * size * DOTS_PER_POINT;
  return Math.max(1, 1 + Math.floor((height - heightOf(1, size) + 0.01) / leading));
}

/** Returns the height in dots, from the top of the first line's capitals to below the last line. */
function heightOf(lines: number, size: number): number {
  return (CAP_HEIGHT + (lines - 1) * LEADING + DESCENT) * size * DOTS_PER_POINT;
}

function placed({ lines, whole, cut }: Broken, size: number): FittedText {
  const baseline = (i: number) => (CAP_HEIGHT + i * LEADING) * size * DOTS_PER_POINT;
  return {
    lines: lines.map((text, i) => ({ text, y: baseline(i) })),
    size,
    height: heightOf(lines.length, size),
    whole,
    cut,
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
export type Field = Omit<Typesetting, 'width'> & {
  text: string;
  /** Takes the lines that it needs, and is cut last. `maxLines` then counts only for type above the full size. */
  whole?: boolean;
  /** Of two fields that are whole, or of two that are not, the one of less importance is cut first; 0 by default. */
  importance?: number;
  /** Lines that a field keeps, whatever the others say; 1 by default. */
  minLines?: number;
  /** The text's last words, which stay whole where the words before them are cut. */
  tail?: string;
  /** The text stands in a frame as wide as the column. */
  framed?: boolean;
};

/** In dots: `top` counts from the column's top, and the text begins `side` from the column's edge. */
type InColumn = FittedText & { frame?: { top: number; height: number; side: number } };

/**
 * Fits fields one below the other into a column, as large as its room allows. Before a field that is `whole` is cut, its
 * column gets smaller, and the other fields are cut.
 * @returns each field with its lines, whose `y` counts from the column's top.
 * @throws if the column is too low for the longest fields. The trial then refuses the template, before any label.
 */
export function fitColumn<F extends Field>(given: readonly F[], column: Column): (F & InColumn)[] {
  const fields = given.map(measured);
  const hasWhole = fields.some(({ whole }) => whole);
  const tallest = hasWhole ? leastHeight(fields, column) : tallestOf(fields, column);
  if (tallest > column.height)
    throw new Error(
      `the fields of {{#column}} may be ${Math.ceil(tallest)} dots high, and it has ${column.height}`,
    );
  for (const scale of COMMON_SCALES) {
    if (scale > (column.maxScale ?? 1)) continue;
    if (hasWhole && shortest(fields, column, scale, true) > column.height) continue;
    const texts = fields.map((field) => fitField(field, column, scale));
    const height = heightOfAll(fields, texts, column, scale);
    // A field that gets smaller at a larger scale would look smaller than its neighbours for no reason.
    const isReduced = texts.some(({ size, lines }, i) =>
      isSmaller(fields[i] as F, scale, size, lines.length),
    );
    if (height > column.height || (isReduced && scale > 1)) continue;
    if (!hasWhole || texts.every(({ whole }) => whole)) return stacked(fields, texts, column, scale);
  }
  for (const scale of WHOLE_SCALES) {
    if (scale > SMALLEST_WHOLE && shortest(fields, column, scale, false) > column.height) continue;
    const texts = allotted(fields, column, scale);
    if (texts && (scale === SMALLEST_WHOLE || !fields.some(({ whole }, i) => whole && texts[i]?.cut)))
      return stacked(fields, texts, column, scale);
  }
  throw new Error('The last scale takes any fields');
}

/** A field whose text has single blanks. `em` is its width with its tail, in em. */
type Measured<F extends Field = Field> = F & { em: number };

function measured<F extends Field>(field: F): Measured<F> {
  const text = normalized(field.text);
  return { ...field, text, em: widthOf(field.tail ? `${text} ${field.tail}` : text, faceOf(field.bold)) };
}

/**
 * Returns a height that whole fields need at least, as if words could be broken anywhere: to break lines at each scale
 * would cost more than a fifth of a label's time.
 * @param all also the other fields are to be whole, in their smallest type.
 */
function shortest(fields: readonly Measured[], column: Column, scale: number, all: boolean): number {
  let height = 0;
  for (const [i, field] of fields.entries()) {
    const { em, whole, minSize = 6 } = field;
    const size = whole ? typeSize(field, scale) : minSize;
    const lines = whole || all ? Math.ceil((em * size * DOTS_PER_POINT) / column.width) : 1;
    height += heightOf(Math.max(1, lines), size) + (i > 0 ? spacingOf(size, column, scale) : 0);
  }
  return height;
}

/** Returns the height of fields of which none is whole, at their smallest scale, if each has all of its lines. */
function tallestOf(fields: readonly Field[], column: Column): number {
  return fields.reduce((height, field, i) => {
    const { size, maxLines = 1 } = field;
    const largest = typeSize(field, SMALLEST_COMMON);
    const spacing = i > 0 ? spacingOf(largest, column, SMALLEST_COMMON) : 0;
    const lines = Math.max(heightOf(maxLines, size * SMALLEST_COMMON), heightOf(1, largest));
    return height + spacing + lines + edgesOf(field);
  }, 0);
}

/** Returns the height of fields that keep their least lines only. */
function leastHeight(fields: readonly Field[], column: Column, scale = SMALLEST_WHOLE): number {
  return fields.reduce((height, field, i) => {
    const spacing = i > 0 ? spacingOf(typeSize(field, scale), column, scale) : 0;
    return height + spacing + leastHeightOf(field, scale);
  }, 0);
}

function leastHeightOf(field: Field, scale: number): number {
  const { minLines = 1, minSize = 6, whole } = field;
  return heightOf(minLines, whole ? typeSize(field, scale) : minSize) + edgesOf(field);
}

/** Returns the height that a field's frame adds. */
function edgesOf({ framed }: Field): number {
  return framed ? 2 * FRAME.edge : 0;
}

function widthIn({ width }: Column, { framed }: Field): number {
  return framed ? width - 2 * FRAME.side : width;
}

function typeSize({ size, minSize = 6 }: Field, scale: number): number {
  return Math.max(minSize, size * scale);
}

/** Returns the room above a field of `size` points, in dots. */
function spacingOf(size: number, { gap }: Column, scale: number): number {
  return (gap + FIELD_SPACING * size * DOTS_PER_POINT) * scale;
}

/** Fits a field that is whole on as many lines as it needs, and another within its lines. */
function fitField(field: Measured, column: Column, scale: number): FittedText {
  const { text, whole, bold, minSize, maxLines = 1 } = field;
  const width = widthIn(column, field);
  if (whole) return fitLines(field, width, typeSize(field, scale), Number.POSITIVE_INFINITY);
  const size = field.size * scale;
  return fitInto(text, { size, width, bold, minSize }, heightOf(maxLines, size));
}

function fitLines(
  { text, tail, bold, em }: Measured,
  width: number,
  size: number,
  lines: number,
): FittedText {
  const face = faceOf(bold);
  const room = width / (size * DOTS_PER_POINT);
  if (em <= room) return placed({ lines: [tail ? `${text} ${tail}` : text], whole: true, cut: false }, size);
  return placed(
    tail ? breakWithTail(text, tail, room, lines, face) : breakLines(text, room, lines, face),
    size,
  );
}

/** Tells whether a text needs more lines or smaller type than its field has at a scale. */
function isSmaller(field: Field, scale: number, size: number, lines: number): boolean {
  return size < field.size * scale || lines > (field.maxLines ?? 1);
}

/**
 * Gives each field its least lines, and what is left to the most important field that wants more.
 * @returns undefined if the column is too low for the least lines.
 */
function allotted(fields: readonly Measured[], column: Column, scale: number): FittedText[] | undefined {
  let spare = column.height - leastHeight(fields, column, scale);
  if (spare < 0) return undefined;
  const texts: FittedText[] = [];
  for (const [i, field] of [...fields.entries()].sort(([, a], [, b]) => rankOf(b) - rankOf(a))) {
    const least = leastHeightOf(field, scale);
    const size = typeSize(field, scale);
    const width = widthIn(column, field);
    const room = least + spare - edgesOf(field);
    const text = field.whole
      ? fitLines(field, width, size, lineCount(room, size))
      : fitInto(field.text, { ...field, size, width }, mostHeightOf(field, size, room));
    spare -= text.height + edgesOf(field) - least;
    texts[i] = text;
  }
  return texts;
}

/** Above any importance. */
const WHOLE_RANK = 1_000;

function rankOf({ whole, importance = 0 }: Field): number {
  return whole ? WHOLE_RANK + importance : importance;
}

function mostHeightOf({ maxLines = 1 }: Field, size: number, room: number): number {
  return Math.min(room, heightOf(maxLines, size));
}

function heightOfAll(
  fields: readonly Field[],
  texts: readonly FittedText[],
  column: Column,
  scale: number,
): number {
  return texts.reduce((height, text, i) => {
    const spacing = i > 0 ? spacingOf(text.size, column, scale) : 0;
    return height + spacing + text.height + edgesOf(fields[i] as Field);
  }, 0);
}

function stacked<F extends Field>(
  fields: readonly F[],
  texts: readonly FittedText[],
  column: Column,
  scale: number,
) {
  let bottom = 0;
  return fields.map((field, i): F & InColumn => {
    const { lines, ...text } = texts[i] as FittedText;
    const top = i > 0 ? bottom + spacingOf(text.size, column, scale) : 0;
    const height = text.height + edgesOf(field);
    bottom = top + height;
    if (!field.framed) return { ...field, ...text, lines: lowered(lines, top) };
    return {
      ...{ ...field, ...text, lines: lowered(lines, top + FRAME.edge) },
      frame: { top, height, side: FRAME.side },
    };
  });
}

function lowered(lines: readonly Line[], by: number): Line[] {
  return lines.map((line) => ({ ...line, y: by + line.y }));
}
