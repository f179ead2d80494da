import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import type { LabelPayload } from '../../shared/label-job.ts';
import { barcode } from './barcode.ts';
import { drawable } from './drawable.ts';
import { type Figure, PIXELS_PER_DOT, type Place } from './figure.ts';
import { header } from './header.ts';
import { qr } from './qr.ts';
import { textHelpers } from './text-helpers.ts';

/**
 * A label as HTML. Whatever a field holds leaves escaped; only `document.hbs` puts ready HTML together.
 * No script, no request: fonts and codes are inline, and the document's policy forbids all else.
 */

const file = (path: string) => new URL(path, import.meta.url);
const read = (path: string) => readFileSync(file(path), 'utf8');
const options = { knownHelpersOnly: true, knownHelpers: { text: true, column: true, field: true } };
const engine = Handlebars.create();
const template = <T>(name: string) => engine.compile<T>(read(`templates/${name}.hbs`), options);

engine.registerHelper(textHelpers);
const letter = template<Letter>('letter');
const small = template<Small>('small');
const styles = read('templates/label.css').replace(
  /url\((.+?\.woff2)\)/g,
  (_, path: string) => `url(data:font/woff2;base64,${readFileSync(file(`fonts/${path}`), 'base64')})`,
);

/** The document that labels are printed in: all but the labels themselves. */
export const DOCUMENT = template<{ styles: string }>('document')({ styles });

/** Pages that a label takes. */
export function pagesOf(label: LabelPayload): number {
  return label.kind === 'letter' ? 1 : label.packages;
}

/** @throws when the label cannot be drawn, such as a tracking address too long for its QR. */
export function labelHtml(label: LabelPayload): string {
  return label.kind === 'letter' ? letter(letterView(label)) : smallPages(label);
}

/** Where the codes stand, in dots (8 a millimetre); the templates leave the room. */
const PLACES: Record<LabelPayload['kind'], { qr: Place; barcode: Place }> = {
  letter: {
    qr: { middle: 1455, top: 904, room: 44 * 8 },
    barcode: { middle: 1247, top: 1868, room: 22 * 8 },
  },
  small: { qr: { middle: 660, top: 73, room: 205 }, barcode: { middle: 400, top: 638, room: 12.5 * 8 } },
};
/** Room for the carrier's logo and name. */
const HEADERS = {
  letter: { x: 96, width: 1080, gap: 40, logo: { width: 45 * 8, height: 13 * 8 } },
  small: { x: 28, width: 444, gap: 16, logo: { width: 22 * 8, height: 5.5 * 8 } },
} as const;

type Letter = ReturnType<typeof letterView>;
function letterView(label: LabelPayload) {
  const { qr: qrPlace, barcode: barcodePlace } = PLACES.letter;
  const codes = { qr: qr(label.trackingUrl, qrPlace), barcode: barcode(label.number, 4, barcodePlace) };
  return { ...commonView(label), codes };
}

type Small = ReturnType<typeof smallView>;
function smallView(label: LabelPayload, common: ReturnType<typeof commonView>, qr: Figure, index: number) {
  const suffix = String(index).padStart(2, '0');
  // Bars of 3 dots: with those of 4, zbar reads 7 of 10 codes that have 2 % of noise, with these all.
  const code = barcode(`${label.number}-${suffix}`, 3, PLACES.small.barcode);
  return {
    ...common,
    codes: { qr, barcode: code },
    package: { of: `${index}/${label.packages}`, number: `${common.number} - ${suffix}` },
  };
}

function smallPages(label: LabelPayload): string {
  const common = commonView(label);
  const code = qr(label.trackingUrl, PLACES.small.qr);
  let html = '';
  for (let index = 1; index <= label.packages; index++) html += small(smallView(label, common, code, index));
  return html;
}

const SERVICES = { Domicilio: 'Entrega a domicilio', 'the service': 'Recoge en sucursal' } as const;
const number = new Intl.NumberFormat('es-MX', { maximumFractionDigits: 3 });
const money = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });

/** What both kinds show, in the words and forms of the label. Absent fields are empty, or a dash in a table. */
function commonView({ logo, ...payload }: LabelPayload) {
  const { guide, ...label } = inDrawableText(payload);
  const { Remitente: from, Destinatario: to, Producto: goods, Creado_por: author } = guide;
  const [date = '', time = ''] = label.createdAt.split('T');
  const measures = [goods.Largo, goods.Ancho, goods.Alto];
  return {
    carrier: label.carrier,
    header: header(logo, HEADERS[label.kind]),
    pixelsPerDot: PIXELS_PER_DOT,
    trackingUrl: label.trackingUrl,
    number: label.number.replace(/(\d{4})(?=\d)/g, '$1 '),
    service: SERVICES[label.service].toUpperCase(),
    date: `${date.split('-').reverse().join('/')} ${time.slice(0, 5)}`,
    origin: label.origin,
    destination: label.destination,
    sender: { name: from.Nombre, phones: phones(from), email: from.Email },
    recipient: {
      name: to.Nombre,
      company: list(' · ', to.RazonSocial, to.RFC && `RFC ${to.RFC.toUpperCase()}`),
      street: list(' ', to.Calle, to.Numero_exterior, to.Numero_interior && `Int. ${to.Numero_interior}`),
      district: to.Colonia && `Col. ${to.Colonia}`,
      place: list(', ', list(' ', to.CodigoPostal && `C.P. ${to.CodigoPostal}`, to.Municipio), to.Estado),
      reference: to.Referencias && `Referencias: ${to.Referencias}`,
      shortReference: to.Referencias && `Ref. ${to.Referencias}`,
      phones: phones(to),
      email: to.Email,
    },
    goods: {
      kind: goods.TipoEnvio ?? '—',
      content: goods.Contenido,
      informationTitle: goods.InformacionAdicional && 'INFORMACIÓN ADICIONAL',
      information: goods.InformacionAdicional,
      weight: goods.Peso === undefined ? '—' : `${number.format(goods.Peso)} kg`,
      measures: measures.some((side) => side !== undefined)
        ? `${measures.map((side) => (side === undefined ? '—' : number.format(side))).join(' × ')} cm`
        : '—',
      value: goods.ValorDeclarado === undefined ? '—' : `${money.format(goods.ValorDeclarado)} MXN`,
    },
    author: { name: author.Nombre ?? '—', agency: author.Agencia ?? '—' },
  };
}

function phones({ Celular, Telefono }: { Celular?: string; Telefono?: string }): string {
  const numbers = list(' / ', Celular, Telefono);
  return numbers && `Tel. ${numbers}`;
}

function list(separator: string, ...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(separator);
}

/** All texts of a value in characters that the label's font has. */
function inDrawableText<T>(value: T): T {
  if (typeof value === 'string') return drawable(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inDrawableText(part)])) as T;
}
