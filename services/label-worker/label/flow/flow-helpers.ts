import Handlebars from 'handlebars';
import { DOTS_PER_MM, type FloatingShape, type Rect } from '../../drawing.ts';
import { BARCODE_QUIET_ZONE, barcode, qr } from '../codes.ts';
import { logoLayout } from '../logo-layout.ts';
import type { Sheet } from '../sheet.ts';
import { fitText, type Typesetting } from '../text-fitting.ts';

/** Helpers of a template's own HTML. Sizes are in dots, and values are escaped. */

/** Leaves room for a QR code with the side `size`. */
export function flowingQr(sheet: Sheet, value: string, size: number): Handlebars.SafeString {
  return floating(sheet, { shape: qr(value, { middle: size / 2, y: 0, size }), room: [0, 0, size, size] });
}

/** Leaves room for a Code 128 and its quiet zones. */
export function flowingBarcode(
  sheet: Sheet,
  value: string,
  { height, module }: { height: number; module: number },
): Handlebars.SafeString {
  const shape = barcode(value, { middle: 0, y: 0, height, module });
  const [[first], [last, , width]] = [shape[0], shape.at(-1)] as [Rect, Rect];
  const left = first - BARCODE_QUIET_ZONE * module;
  return floating(sheet, {
    shape,
    room: [left, 0, last + width + BARCODE_QUIET_ZONE * module - left, height],
  });
}

/** Returns a link, because Chromium's PDF has the positions of links alone. */
function floating(sheet: Sheet, code: FloatingShape): Handlebars.SafeString {
  const [, , width, height] = code.room;
  return html(`<a class="box" href="${sheet.float(code)}" style="${sized(width, height)}"></a>`);
}

/** Returns the logo as large as its room allows. */
export function flowingLogo(uri: string | undefined, room: { width: number; height: number }) {
  if (!uri) return html('');
  const { width, height } = logoLayout(uri, { x: 0, y: 0, ...room });
  const href = Handlebars.escapeExpression(uri);
  // No <img>: Chromium prints no SVG in one (https://github.com/puppeteer/puppeteer/issues/11517).
  return html(
    `<svg style="${sized(width, height)}"><image href="${href}" width="100%" height="100%"/></svg>`,
  );
}

type FitOptions = { hash: Typesetting & { width: number; class?: string } };

/** `{{fit value width= size= …}}`: a text in its room, broken and sized as by `{{text}}`. */
export function fit(value: string | undefined, { hash }: FitOptions) {
  if (!value) return html('');
  const { lines, size } = fitText(value, hash);
  const classes = Handlebars.escapeExpression(`fit ${hash.class ?? ''}`.trimEnd());
  const text = Handlebars.escapeExpression(lines.map((line) => line.text).join('\n'));
  const weight = hash.bold ? ';font-weight:700' : '';
  return html(`<span class="${classes}" style="font-size:${size}pt${weight}">${text}</span>`);
}

function sized(width: number, height: number): string {
  return `width:${width / DOTS_PER_MM}mm;height:${height / DOTS_PER_MM}mm`;
}

function html(source: string): Handlebars.SafeString {
  return new Handlebars.SafeString(source);
}
