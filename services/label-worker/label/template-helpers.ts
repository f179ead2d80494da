import Handlebars, { type HelperOptions } from 'handlebars';
import { type BarcodePosition, barcode, type QrPosition, qr } from './codes.ts';
import { fit, flowingBarcode, flowingLogo, flowingQr } from './flow/flow-helpers.ts';
import { logoLayout, type Room } from './logo-layout.ts';
import { type MarkLetter, type MarkPosition, serviceMark } from './service-mark.ts';
import type { Sheet } from './sheet.ts';
import { inAscii, isPlacedAt, textHelpers } from './text-helpers.ts';
import type { LabelView } from './view.ts';

/**
 * The Handlebars helpers of label templates (docs/labels.md "Templates"); `attributes.ts` checks their attributes. A
 * helper with a position records on the label's sheet, another returns HTML. All texts are escaped.
 */

type Options<Attributes> = { hash: Attributes; data: { sheet: Sheet } };
type BlockOptions<Attributes> = Options<Attributes> & Pick<HelperOptions, 'fn'>;

/** `{{#page width="…mm" height="…mm"}}`: only draws, because `compile-template.ts` reads the size. */
function page(this: LabelView, { data, fn }: BlockOptions<unknown>): void {
  addHtml(data.sheet, fn(this));
}

/** `{{#eachPackage as package }}`: gives each package a page, and draws on that page alone. */
function eachPackage(this: LabelView, { data, fn }: BlockOptions<unknown>): void {
  for (const [index, one] of this.packages.entries()) {
    data.sheet.onPage(index, () => addHtml(data.sheet, fn(this, { data, blockParams: [one] })));
  }
}

function addHtml(sheet: Sheet, html: string): void {
  if (!html.trim()) return;
  sheet.layer.html += inAscii(html);
  sheet.layer.letters += html.replace(/<!--.*?-->|<[^>]*>|\s/gs, '').length;
}

type LogoOptions = BlockOptions<Room & { gap: number; right: number }>;

/**
 * `{{#logo uri x= y= width= height= gap= right= as |beside|}}`: `beside` is the room from the logo to `right`.
 * `{{logo uri width= height=}}`: in HTML.
 */
function logo(this: LabelView, uri: string | undefined, options: LogoOptions): unknown {
  const isBlock = 'fn' in options;
  return isBlock ? placedLogo.call(this, uri, options) : flowingLogo(uri, (options as Options<Room>).hash);
}

function placedLogo(this: LabelView, uri: string | undefined, { hash, data, fn }: LogoOptions): void {
  let { x } = hash;
  if (uri) {
    const { y, width, height } = logoLayout(uri, hash);
    const href = Handlebars.escapeExpression(uri);
    data.sheet.layer.graphics += `<image href="${href}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
    x += width + hash.gap;
  }
  fn(this, { data, blockParams: [{ x, width: hash.right - x }] });
}

/** `{{picture uri x= y= width= height=}}`: a photo in the middle of its room, as large as the room allows. */
function picture(uri: string, { hash: { x, y, width, height }, data }: Options<Room>): void {
  const href = Handlebars.escapeExpression(uri);
  data.sheet.layer.graphics += `<image href="${href}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
}

/** `{{path "M… …" stroke=}}`: an SVG path in dots, as a black line. */
function path(d: string, { hash, data }: Options<{ stroke: number }>): void {
  const line = Handlebars.escapeExpression(d);
  data.sheet.layer.graphics += `<path d="${line}" fill="none" stroke="#000" stroke-width="${hash.stroke}"/>`;
}

function rule({ hash: { x, y, width, height }, data }: Options<Room>): void {
  data.sheet.draw([[x, y, width, height]]);
}

export const templateHelpers = {
  page,
  eachPackage,
  logo,
  picture,
  path,
  rule,
  /** `{{serviceMark serviceLetter x= y= size=}}` */
  serviceMark(letter: MarkLetter, { hash, data: { sheet } }: Options<MarkPosition>): void {
    sheet.draw(serviceMark(letter, hash));
  },
  ...textHelpers,
  fit,
  /** `{{qr value middle= y= size=}}`, or `{{qr value size=}}` in HTML. */
  qr(value: string, { hash, data: { sheet } }: Options<QrPosition>): unknown {
    sheet.layer.codes.push(value);
    return isPlacedAt(hash.middle, hash.y) ? sheet.draw(qr(value, hash)) : flowingQr(sheet, value, hash.size);
  },
  /** `{{barcode value middle= y= height= module=}}`, or `{{barcode value height= module=}}` in HTML. */
  barcode(value: string, { hash, data: { sheet } }: Options<BarcodePosition>): unknown {
    sheet.layer.codes.push(value);
    return isPlacedAt(hash.middle, hash.y)
      ? sheet.draw(barcode(value, hash))
      : flowingBarcode(sheet, value, hash);
  },
};
