import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import type { LabelPayload } from '../../shared/label-job.ts';
import { barcode } from './barcode.ts';
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

engine.registerPartial('figure', template('figure'));
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

type Letter = ReturnType<typeof letterView>;
function letterView(label: LabelPayload) {
  return { ...commonView(label), qr: qr(label.trackingUrl, 44 * 8), barcode: barcode(label.number, 22 * 8) };
}

type Small = ReturnType<typeof smallView>;
function smallView(label: LabelPayload, common: ReturnType<typeof commonView>, index: number) {
  const suffix = String(index).padStart(2, '0');
  return {
    ...common,
    package: {
      index,
      count: label.packages,
      number: `${common.number} - ${suffix}`,
      barcode: barcode(`${label.number}-${suffix}`, 12.5 * 8),
    },
  };
}

function smallPages(label: LabelPayload): string {
  const common = { ...commonView(label), qr: qr(label.trackingUrl, 27 * 8) };
  let html = '';
  for (let index = 1; index <= label.packages; index++) html += small(smallView(label, common, index));
  return html;
}

const SERVICES = { Domicilio: 'Entrega a domicilio', 'the service': 'Recoge en sucursal' } as const;
const number = new Intl.NumberFormat('es-MX', { maximumFractionDigits: 3 });
const money = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });

/** What both kinds show, in the words and forms of the label. Absent fields are empty, or a dash in a table. */
function commonView({ guide, ...label }: LabelPayload) {
  const { Remitente: from, Destinatario: to, Producto: goods, Creado_por: author } = guide;
  const [date = '', time = ''] = label.createdAt.split('T');
  const measures = [goods.Largo, goods.Ancho, goods.Alto];
  return {
    carrier: label.carrier,
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

/**
 * Class of a text's size: `room` characters fit at the full one. Capitals take about a third more than small
 * letters.
 */
function fit(value: unknown, room: number): string {
  const length = typeof value === 'string' ? value.length + (value.match(/\p{Lu}/gu)?.length ?? 0) / 3 : 0;
  if (length <= room) return '';
  if (length <= room * 1.25) return 'fit-80';
  if (length <= room * 1.6) return 'fit-62';
  if (length <= room * 2.2) return 'fit-45';
  return 'fit-30';
}
