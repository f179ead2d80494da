import Handlebars, { type HelperOptions } from 'handlebars';
import { type BarcodePlace, barcode } from '../codes/barcode.ts';
import { type QrPlace, qr } from '../codes/qr.ts';
import { logoLayout, type Room } from './logo-layout.ts';
import type { Sheet } from './sheet.ts';
import { textHelpers } from './text-helpers.ts';
import type { LabelView } from './view.ts';

/**
 * The Handlebars helpers that label templates draw with; docs/labels.md "Templates" lists their attributes.
 *
 * A helper records on the label's sheet and returns nothing: a template's own output is thrown away. So whatever a
 * field holds reaches the page through the helpers alone, and they escape it.
 */

/** What a helper gets after its values: the attributes that the template states, and the sheet of the label. */
type Options<Attributes> = { hash: Attributes; data: { sheet: Sheet } };
type BlockOptions<Attributes> = Options<Attributes> & Pick<HelperOptions, 'fn'>;

/** `{{#page width="…mm" height="…mm"}}`: `templates.ts` reads the size, so that drawing is all that is left to do. */
function page(this: LabelView, { fn }: BlockOptions<unknown>): void {
  fn(this);
}

/** `{{#eachPackage as |package|}}`: gives the label a page for each package, and draws on that page alone. */
function eachPackage(this: LabelView, { data, fn }: BlockOptions<unknown>): void {
  for (const [index, one] of this.packages.entries()) {
    data.sheet.onPage(index, () => fn(this, { data, blockParams: [one] }));
  }
}

type LogoOptions = BlockOptions<Room & { gap: number; right: number }>;

/** `{{#logo uri x= y= width= height= gap= right= as |beside|}}`: `beside` is the room from the logo to `right`. */
function logo(this: LabelView, uri: string | undefined, { hash, data, fn }: LogoOptions): void {
  let { x } = hash;
  if (uri) {
    const { y, width, height } = logoLayout(uri, hash);
    const href = Handlebars.escapeExpression(uri);
    data.sheet.layer.graphics += `<image href="${href}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
    x += width + hash.gap;
  }
  fn(this, { data, blockParams: [{ x, width: hash.right - x }] });
}

/** `{{path "M… …" stroke=}}`: an SVG path in dots, as a black line. */
function path(d: string, { hash, data }: Options<{ stroke: number }>): void {
  const line = Handlebars.escapeExpression(d);
  data.sheet.layer.graphics += `<path d="${line}" fill="none" stroke="#000" stroke-width="${hash.stroke}"/>`;
}

/** `{{rule x= y= width= height=}}` */
function rule({ hash: { x, y, width, height }, data }: Options<Room>): void {
  data.sheet.layer.shapes.push([[x, y, width, height]]);
}

export const templateHelpers = {
  page,
  eachPackage,
  logo,
  path,
  rule,
  ...textHelpers,
  /** `{{qr value middle= y= size=}}` */
  qr(value: string, { hash, data }: Options<QrPlace>): void {
    data.sheet.layer.shapes.push(qr(value, hash));
  },
  /** `{{barcode value middle= y= height= module=}}` */
  barcode(value: string, { hash, data }: Options<BarcodePlace>): void {
    data.sheet.layer.shapes.push(barcode(value, hash));
  },
};
