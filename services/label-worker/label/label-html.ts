import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { drawable } from './charset.ts';
import { header } from './logo-layout.ts';
import { textHelpers } from './text-helpers.ts';

/**
 * A label as HTML. Whatever a field holds leaves escaped; only `document.hbs` puts ready HTML together.
 * No script, no request: fonts and logo are inline, and the document's policy forbids all else. Codes are not in it
 * (`label-drawing.ts`).
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

/** What a package's code has after the guide's number (docs/contract.md "Labels"). */
export function packageSuffix(index: number): string {
  return String(index).padStart(2, '0');
}

/** CSS pixels in a dot of a thermal head with 8 dots a millimetre ("203 dpi"); labels are drawn in dots. */
const PIXELS_PER_DOT = 96 / 25.4 / 8;

/** Pages that a label takes. */
export function pagesOf(label: LabelPayload): number {
  return label.kind === 'letter' ? 1 : label.packages;
}

export function labelHtml(label: LabelPayload): string {
  return label.kind === 'letter' ? letter(commonView(label)) : smallPages(label);
}

/** Room for the carrier's logo and name. */
const HEADERS = {
  letter: { x: 96, width: 1080, gap: 40, logo: { width: 45 * 8, height: 13 * 8 } },
  small: { x: 28, width: 444, gap: 16, logo: { width: 22 * 8, height: 5.5 * 8 } },
} as const;

type Letter = ReturnType<typeof commonView>;
type Small = Letter & { package: { of: string; number: string } };

function smallPages(label: LabelPayload): string {
  const common = commonView(label);
  let html = '';
  for (let index = 1; index <= label.packages; index++) {
    const number = `${common.number} - ${packageSuffix(index)}`;
    html += small({ ...common, package: { of: `${index}/${label.packages}`, number } });
  }
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
