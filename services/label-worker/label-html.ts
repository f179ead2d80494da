import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import type { LabelPayload } from '../../shared/label-job.ts';
import { barcode } from './barcode.ts';
import { drawable } from './drawable.ts';
import type { Figure, Place } from './figure.ts';
import { qr } from './qr.ts';

/**
 * A label as HTML. Whatever a field holds leaves escaped; only `document.hbs` puts ready HTML together.
 * No script, no request: fonts and codes are inline, and the document's policy forbids all else.
 */

const file = (path: string) => new URL(path, import.meta.url);
const text = (path: string) => readFileSync(file(path), 'utf8');
const options = { knownHelpersOnly: true, knownHelpers: { fit: true } };
const engine = Handlebars.create();
const template = <T>(name: string) => engine.compile<T>(text(`templates/${name}.hbs`), options);

engine.registerPartial('codes', template('codes'));
engine.registerHelper('fit', fit);
const letter = template<Letter>('letter');
const small = template<Small>('small');
const styles = text('templates/label.css').replace(
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

/** Where the codes stand, in dots (8 a millimetre); `label.css` leaves the room. */
const PLACES: Record<LabelPayload['kind'], { qr: Place; barcode: Place }> = {
  letter: {
    qr: { middle: 1455, top: 904, room: 44 * 8 },
    barcode: { middle: 1247, top: 1868, room: 22 * 8 },
  },
  small: { qr: { middle: 660, top: 73, room: 205 }, barcode: { middle: 400, top: 638, room: 12.5 * 8 } },
};

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
    package: { index, count: label.packages, number: `${common.number} - ${suffix}` },
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
function commonView(payload: LabelPayload) {
  const { guide, ...label } = inDrawableText(payload);
  const { Remitente: from, Destinatario: to, Producto: goods, Creado_por: author } = guide;
  const [date = '', time = ''] = label.createdAt.split('T');
  const measures = [goods.Largo, goods.Ancho, goods.Alto];
  return {
    carrier: label.carrier,
    logo: label.logo,
    trackingUrl: label.trackingUrl,
    number: label.number.replace(/(\d{4})(?=\d)/g, '$1 '),
    service: SERVICES[label.service],
    date: date.split('-').reverse().join('/'),
    time: time.slice(0, 5),
    origin: label.origin,
    destination: label.destination,
    sender: { name: from.Nombre, phones: list(' / ', from.Celular, from.Telefono), email: from.Email },
    recipient: {
      name: to.Nombre,
      company: list(' · ', to.RazonSocial, to.RFC && `RFC ${to.RFC.toUpperCase()}`),
      street: list(' ', to.Calle, to.Numero_exterior, to.Numero_interior && `Int. ${to.Numero_interior}`),
      district: to.Colonia && `Col. ${to.Colonia}`,
      place: list(', ', list(' ', to.CodigoPostal && `C.P. ${to.CodigoPostal}`, to.Municipio), to.Estado),
      reference: to.Referencias,
      phones: list(' / ', to.Celular, to.Telefono),
      email: to.Email,
    },
    goods: {
      kind: goods.TipoEnvio ?? '—',
      content: goods.Contenido,
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

function list(separator: string, ...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(separator);
}

/** All texts of a value in characters that the label's font has. */
function inDrawableText<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'string' ? drawable(part) : part));
}

const NARROW = /[1fijlrtI.,:;!'|() \u00cc-\u00cf\u00ec-\u00ef-]/g;
const WIDE = /[mwMW@%&\u00c6\u00e6\u0152\u0153©—]/g;

/** About how wide a text is in the label's font, in em. */
function widthOf(text: string): number {
  const count = (of: RegExp) => text.match(of)?.length ?? 0;
  return text.length * 0.48 + count(/\p{Lu}/gu) * 0.07 - count(NARROW) * 0.21 + count(WIDE) * 0.25;
}

/**
 * Class of a text's size, by its width. Few steps rather than any size, so that a label looks set and not
 * squeezed. Smaller text takes more lines, but never more height (`label.css`).
 *
 * @param room what fits at the full size, in em, all lines together.
 * @param lines at the full size; 0: a single line that never breaks.
 */
function fit(value: unknown, room: number, lines: number): string {
  const excess = typeof value === 'string' ? widthOf(value) / room : 0;
  // Lines break between words: some of each is lost.
  const used = lines ? 0.9 : 1;
  if (excess <= 1) return '';
  if (excess <= 1 / 0.8) return 'fit-80';
  if (excess <= (used * Math.max(1, 2 - 1 / lines)) / 0.62) return 'fit-62';
  if (excess <= (used * (lines ? 2 : 1)) / 0.45) return 'fit-45';
  return 'fit-least';
}
