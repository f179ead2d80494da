import Handlebars from 'handlebars';
import {
  type Column,
  DOTS_PER_POINT,
  type Field,
  type Line,
  type Setting,
  setColumn,
  setText,
} from './line-breaking.ts';

/** Handlebars helpers that put a label's texts into its page's one SVG text, a `tspan` a line. */

/** What a template says of a text: its place and room in dots, its size in points, its classes in `label.css`. */
type Hash = Pick<Setting, 'size' | 'width' | 'lines' | 'least'> & {
  x: number;
  /** Baseline of the first line, or of the last one where a text that is too long grows `up`. */
  y: number;
  up?: true;
  bold?: true;
  class?: string;
};

/** `{{text value x= y= size= …}}` */
function textHelper(text: unknown, { hash }: { hash: Hash }): Handlebars.SafeString {
  if (typeof text !== 'string' || !text) return new Handlebars.SafeString('');
  const { lines, size } = setText(text, settingOf(hash));
  const [first = 0, last = 0] = [lines[0]?.y, lines.at(-1)?.y];
  // Smaller type begins where the capitals of the full size do.
  const top = hash.up ? hash.y - last : hash.y - (first * hash.size) / size;
  return spans(lines, hash.x, top, size, hash);
}

type ColumnField = Field & { hash: Hash };

/** `{{#column x= y= width= height= gap= larger=}}` of `{{field value size= …}}`: empty ones take no room. */
function columnHelper(this: unknown, options: Handlebars.HelperOptions): Handlebars.SafeString {
  const { x, y, ...column } = options.hash as Column & { x: number; y: number };
  const fields: ColumnField[] = [];
  options.fn(this, { data: Object.assign(Handlebars.createFrame(options.data), { fields }) });
  const set = setColumn(fields, column);
  return new Handlebars.SafeString(
    set.map(({ lines, size, hash }) => spans(lines, x, y, size, hash)).join(''),
  );
}

function fieldHelper(text: unknown, { hash, data }: Handlebars.HelperOptions): void {
  if (typeof text === 'string' && text) data.fields.push({ ...settingOf(hash as Hash), text, hash });
}

function settingOf({ size, width, lines, least, bold }: Hash): Setting {
  return { size, width, lines, least, face: bold ? 'bold' : 'medium' };
}

function spans(lines: Line[], x: number, top: number, size: number, hash: Hash): Handlebars.SafeString {
  const classes = [hash.bold && 'bold', hash.class].filter(Boolean).join(' ');
  // Of sizes in quarters of dots, and an em of 1 024 units, sums of widths are exact, so that Chromium need not say
  // where each letter stands.
  const dots = Math.round(size * DOTS_PER_POINT * 4) / 4;
  const attributes = `${classes && ` class="${classes}"`} font-size="${dots}"`;
  const span = ({ text, y }: Line) =>
    `<tspan x="${x}" y="${Math.round(top + y)}"${attributes}>${inAscii(text)}</tspan>`;
  return new Handlebars.SafeString(lines.map(span).join(''));
}

/** HTML of a text. Beyond ASCII, what goes to Chromium would have two bytes a letter. */
function inAscii(text: string): string {
  return Handlebars.escapeExpression(text).replace(
    /[^\0-\x7f]/gu,
    (character) => `&#${character.codePointAt(0)};`,
  );
}

export const textHelpers = { text: textHelper, column: columnHelper, field: fieldHelper };
