import Handlebars, { type HelperOptions } from 'handlebars';
import { CSS_PIXELS_PER_DOT, DOTS_PER_MM, DOTS_PER_POINT, type Rect } from '../drawing.ts';
import { NO_BREAK } from './line-breaking.ts';
import type { Sheet } from './sheet.ts';
import {
  type Column,
  type Field,
  type FittedText,
  fitColumn,
  fitText,
  type Typesetting,
} from './text-fitting.ts';

/** The template helpers for texts: each line becomes a `tspan` in the one SVG text of its page. */

/** `class` is one of `document.css`. */
type Style = Typesetting & { class?: string };
/** A text begins at `x`, has its middle at `middle`, or ends at `right`. */
type Anchor = { x?: number; middle?: number; right?: number };
type TextOptions = {
  /** `y` is the baseline of the first line at full size. */
  hash: Style & Anchor & { y: number; keepBaseline?: boolean };
  data: { sheet: Sheet };
};

/** `{{text value x= y= width= size= …}}`: an empty value draws nothing. */
function text(value: string | undefined, { hash, data }: TextOptions): void {
  const anchors = [hash.x, hash.middle, hash.right].filter((anchor) => anchor !== undefined);
  if (anchors.length !== 1) throw new Error('{{text}} needs one of x, middle and right');
  if (!value) return;
  const fitted = fitText(value, hash);
  const [first = 0, last = 0] = [fitted.lines[0]?.y, fitted.lines.at(-1)?.y];
  // A smaller text keeps the top of its capitals, or with `keepBaseline` its last line.
  const top = hash.keepBaseline ? hash.y - last : hash.y - (first * hash.size) / fitted.size;
  place(data.sheet, fitted, top, hash, hash);
}

function place({ layer }: Sheet, fitted: FittedText, top: number, style: Style, anchor: Anchor): void {
  layer.texts += spans(fitted, top, style, anchor);
  for (const line of fitted.lines) layer.letters += line.text.length;
}

type FieldStyle = Omit<Field, 'text'> & { class?: string };
type FieldOptions = { hash: FieldStyle; data: { fields?: (FieldStyle & { text: string })[] } };
type ColumnOptions = HelperOptions & { hash: Column & { x?: number; y?: number }; data: { sheet: Sheet } };

/**
 * `{{#column x= y= width= height= gap= …}}` of `{{field value size= …}}`: an empty field takes no room. Without `x` and
 * `y` the column stands in HTML, and is always as large as its room.
 */
function column(this: unknown, { hash, data, fn }: ColumnOptions): unknown {
  const fields: NonNullable<FieldOptions['data']['fields']> = [];
  fn(this, { data: Object.assign(Handlebars.createFrame(data), { fields }) });
  const { x = 0, y = 0, width, height } = hash;
  const fitted = fitColumn(fields, hash);
  if (isPlacedAt(hash.x, hash.y)) {
    for (const each of fitted) {
      const { frame } = each;
      if (frame) drawFrame(data.sheet, [x, y + frame.top, width, frame.height]);
      place(data.sheet, each, y, each, { x: x + (frame?.side ?? 0) });
    }
    return undefined;
  }
  if (fitted.some(({ frame }) => frame))
    throw new Error('framed=true wants a {{#column}} with x and y; in HTML use a border');
  const texts = fitted.map((each) => spans(each, y, each, { x }));
  return new Handlebars.SafeString(columnHtml(texts.join(''), width, height));
}

function columnHtml(texts: string, width: number, height: number): string {
  const svg = `<svg style="width:${width / DOTS_PER_MM}mm;height:${height / DOTS_PER_MM}mm;overflow:visible">`;
  return `${svg}<g transform="scale(${CSS_PIXELS_PER_DOT})"><text>${texts}</text></g></svg>`;
}

/** Draws four rules in whole dots within a frame's room. */
function drawFrame(sheet: Sheet, room: Rect): void {
  const [x, y, width, height] = room.map(Math.round) as [number, number, number, number];
  const line = 2;
  for (const top of [y, y + height - line]) sheet.draw([[x, top, width, line]]);
  for (const left of [x, x + width - line]) sheet.draw([[left, y, line, height]]);
}

/** @throws when a helper has only one of both coordinates. */
export function isPlacedAt(x: number | undefined, y: number | undefined): boolean {
  if ((x === undefined) !== (y === undefined)) throw new Error('a position has both coordinates, or none');
  return x !== undefined;
}

function field(value: string | undefined, { hash, data }: FieldOptions): void {
  if (!data.fields) throw new Error('{{field}} stands in a {{#column}}');
  const { tail } = hash;
  if (value) data.fields.push({ ...hash, text: value });
  else if (tail) data.fields.push({ ...hash, text: tail, tail: '' });
}

/** Degrees: a line of a letter then crosses a line of text in few places, and hides none of it. */
const STAMP_TURN = -12;
type StampOptions = { hash: { middle: number; y: number; size: number }; data: { sheet: Sheet } };

/** `{{stamp value middle= y= size=}}`: outlined letters across what stands there, with their centre at a place. */
function stamp(value: string | undefined, { hash: { middle, y, size }, data }: StampOptions): void {
  if (!value) return;
  const position = `x="${middle}" y="${y}" transform="rotate(${STAMP_TURN} ${middle} ${y})"`;
  const text = inAscii(Handlebars.escapeExpression(value));
  data.sheet.layer.graphics += `<text class="stamp" ${position} font-size="${size * DOTS_PER_POINT}">${text}</text>`;
}

export const textHelpers = { text, column, field, stamp };

function spans({ lines, size }: FittedText, top: number, style: Style, anchor: Anchor): string {
  // With quarters of dots and an em of 1 024 units, sums of widths are exact in binary. Chromium then writes a line
  // as one string, without positions of letters.
  const dots = Math.round(size * DOTS_PER_POINT * 4) / 4;
  const classes = classesOf(style, anchor);
  const attributes = `${classes && ` class="${classes}"`} font-size="${dots}"`;
  const x = anchor.x ?? anchor.middle ?? anchor.right;
  let html = '';
  for (const line of lines) {
    const text = line.text.replaceAll(NO_BREAK, ' ');
    html += `<tspan x="${x}" y="${Math.round(top + line.y)}"${attributes}>${inAscii(Handlebars.escapeExpression(text))}</tspan>`;
  }
  return html;
}

function classesOf({ bold, class: style = '' }: Style, { middle, right }: Anchor): string {
  let classes = style;
  if (bold) classes += ' bold';
  if (middle !== undefined) classes += ' middle';
  if (right !== undefined) classes += ' end';
  return Handlebars.escapeExpression(classes.trimStart());
}

/** Escapes letters beyond ASCII, because one of them would double the bytes of all HTML sent to Chromium. */
export function inAscii(html: string): string {
  return html.replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);
}
