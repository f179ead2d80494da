import { dateText, measureText, NONE, testBand } from '#shared/documents/printed-texts.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import { plainWords } from '#shared/guides/plain-words.ts';
import { inCharset } from '#shared/labels/label-charset.ts';
import type { LabelPayload } from '#shared/labels/label-payload.ts';
import { phoneText } from '#shared/phones/phone.ts';
import { NO_BREAK } from './line-breaking.ts';

type Guide = LabelPayload['guide'];
/** An absent field is empty, or a dash in a table. */
export type LabelView = ReturnType<typeof labelView>;

/** The letter that a label shows from afar (docs/labels.md "What a label says first"). */
const SERVICE_LETTERS = { Domicilio: 'D', 'the service': 'S' } as const;
const SERVICES = { Domicilio: 'Entrega a domicilio', 'the service': 'Recoge en sucursal' } as const;
const money = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });

/** Returns what a label of any kind may show, in characters of the label's font except in codes. */
export function labelView({ logo, ...payload }: LabelPayload) {
  const { guide, ...label } = allInCharset(payload);
  const { Remitente: from, Creado_por: author } = guide;
  const number = inGroups(label.number);
  return {
    carrier: { name: label.carrier, logo },
    /** The barcode's value, and the same number in groups of four digits. */
    code: label.number,
    number,
    tracking: { url: payload.trackingUrl, text: label.trackingUrl },
    test: testBand(isTestNumber(label.number)),
    service: SERVICES[label.service].toUpperCase(),
    serviceLetter: SERVICE_LETTERS[label.service],
    date: dateText(label.createdAt),
    origin: label.origin,
    destination: {
      ...label.destination,
      postalCode: label.pickUp?.CodigoPostal ?? guide.Destinatario.CodigoPostal,
    },
    route: label.route,
    pickUp: pickUpView(label.pickUp),
    sender: { name: from.Nombre, phones: phones(from), email: from.Email, ...returnAddress(from) },
    recipient: recipientView(guide.Destinatario),
    goods: goodsView(guide.Producto),
    handling: handlingView(guide.Producto),
    author: { name: author.Nombre ?? NONE, agency: author.Agencia ?? NONE },
    ownReference: guide.Referencia && `Referencia: ${guide.Referencia}`,
    /** The number of the guide before, for a second code, and with words. `line`: who sends, and what, where that code takes their place. */
    former: {
      code: label.former,
      text: label.former && `Guía original ${inGroups(label.former)}`,
      line: label.former && `De ${from.Nombre} · ${guide.Producto.Contenido}`,
    },
    /** Of the first package, whose label the letter is. */
    mark: markOf(label, 1),
    packages: printedPackages(label).map((index) => {
      const suffix = packageSuffix(index);
      return {
        mark: markOf(label, index),
        position: `${index}/${label.packages}`,
        code: `${label.number}-${suffix}`,
        number: `${number} - ${suffix}`,
      };
    }),
  };
}

function inGroups(number: string): string {
  return number.replace(/(\d{4})(?=\d)/g, '$1 ');
}

/** Returns all marks of a package as one text; empty without marks. */
export function markOf({ marks = [] }: Pick<LabelPayload, 'marks'>, index: number): string {
  return marks.map(({ text, others = text }) => (index === 1 ? text : others)).join(' · ');
}

/** Returns the packages that have a page, from 1. */
export function printedPackages({
  packages,
  package: only,
}: Pick<LabelPayload, 'packages' | 'package'>): number[] {
  return only === undefined ? Array.from({ length: packages }, (_, i) => i + 1) : [only];
}

/** Returns the end of a package's number, after the guide's number (docs/contract.md "Labels"). */
function packageSuffix(index: number): string {
  return String(index).padStart(2, '0');
}

/** Two lines, each also in two parts, and both in one. Without a return address all are empty. */
function returnAddress(from: Guide['Remitente']) {
  const { streetName, numbers, district: part } = addressView(from);
  const town = placeText(from);
  const street = list(' ', streetName, numbers);
  const place = list(', ', part, town);
  const district = beforeComma(part, town);
  return { street, place, address: list(', ', street, place), streetName, numbers, district, town };
}

function recipientView(to: Guide['Destinatario']) {
  return {
    name: to.Nombre,
    company: list(' · ', to.RazonSocial, to.RFC && `RFC ${to.RFC.toUpperCase()}`),
    street: list(' ', to.Calle, numbersText(to)),
    ...addressView(to),
    place: placeText(to),
    postalCode: to.CodigoPostal ?? NONE,
    reference: to.Referencias && `Referencias: ${to.Referencias}`,
    shortReference: to.Referencias && `Ref. ${to.Referencias}`,
    phones: phones(to),
    email: to.Email,
  };
}

type AddressField =
  | 'Calle'
  | 'Numero_exterior'
  | 'Numero_interior'
  | 'Colonia'
  | 'CodigoPostal'
  | 'Municipio'
  | 'Estado';
type Address = { [Field in AddressField]?: string | undefined };

/**
 * Where a recipient picks the parcel up. Guides that are delivered, and those older than 1.7.0, have no such place: then all
 * is empty.
 */
function pickUpView(place: LabelPayload['pickUp']) {
  return {
    caption: place && 'RECOGER EN',
    ...addressView({ ...place, Numero_exterior: place?.Numero }),
    phone: place?.Telefono && `Tel. ${phone(place.Telefono)}`,
    hours: place?.Horario && `Horario: ${place.Horario}`,
  };
}

/** An address in the parts of which a column never cuts the last ones: the street's numbers, and the state. */
function addressView(address: Address) {
  return {
    streetName: address.Calle,
    numbers: numbersText(address),
    district: districtText(address),
    locality: beforeComma(localityText(address), address.Estado),
    state: address.Estado,
  };
}

/** Ends a part with a comma if its tail follows. */
function beforeComma(part: string | undefined, tail: string | undefined): string | undefined {
  return part && tail ? `${part},` : part;
}

function numbersText({ Numero_exterior, Numero_interior }: Address): string {
  return list(' ', Numero_exterior, Numero_interior && labelled('Int.', /^int\b/i, Numero_interior));
}

function districtText({ Colonia }: Address): string | undefined {
  return Colonia && labelled('Col.', /^col(onia)?\b/i, Colonia);
}

/** Says what a text is, unless the customer has written so. */
function labelled(label: string, written: RegExp, text: string): string {
  return written.test(text) ? text : `${label} ${text}`;
}

function localityText({ CodigoPostal, Municipio }: Address): string {
  return list(' ', CodigoPostal && `C.P. ${CodigoPostal}`, Municipio);
}

function placeText(address: Address): string {
  return list(', ', localityText(address), address.Estado);
}

function goodsView(goods: Guide['Producto']) {
  const measures = [goods.Largo, goods.Ancho, goods.Alto];
  return {
    kind: goods.TipoEnvio ?? NONE,
    content: goods.Contenido,
    information: goods.InformacionAdicional,
    ...packagesView(goods.Paquetes),
    weight: goods.Peso === undefined ? NONE : `${measureText(goods.Peso)} kg`,
    measures: measures.some((side) => side !== undefined)
      ? `${measures.map((side) => (side === undefined ? NONE : measureText(side))).join(' × ')} cm`
      : NONE,
    value: goods.ValorDeclarado === undefined ? NONE : `${money.format(goods.ValorDeclarado)} MXN`,
  };
}

/** In words without accents. A text that denies it, such as "no es frágil", shows the mark too, which does no harm. */
const SAID = {
  fragile: /\bfragil(es|e)?\b/,
  upright: /\b(este lado (hacia )?arriba|this (side|way) up)\b/,
} as const;

/** Says how a parcel is handled, where its additional information does; empty otherwise. */
function handlingView({ InformacionAdicional: information = '' }: Guide['Producto']) {
  const words = plainWords(information);
  return {
    fragile: SAID.fragile.test(words) ? 'FRÁGIL' : '',
    upright: SAID.upright.test(words) ? 'ESTE LADO ARRIBA' : '',
  };
}

/** A letter of a guide with several packages is of the first of them alone. */
function packagesView(count: number | undefined) {
  const packages = count === undefined ? undefined : `Paquetes: ${count}`;
  return count !== undefined && count > 1
    ? { packages, position: `1 / ${count}`, packageNote: `${packages}. Cada uno lleva su etiqueta pequeña` }
    : { packages, position: undefined, packageNote: packages };
}

function phones({ Celular, Telefono }: { Celular?: string; Telefono?: string }): string {
  const numbers = list(' / ', Celular && phone(Celular), Telefono && phone(Telefono));
  return numbers && `Tel. ${numbers}`;
}

function phone(digits: string): string {
  return phoneText(digits).replaceAll(' ', NO_BREAK);
}

function list(separator: string, ...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(separator);
}

function allInCharset<T>(value: T): T {
  if (typeof value === 'string') return inCharset(value) as T;
  if (Array.isArray(value)) return value.map(allInCharset) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, allInCharset(part)])) as T;
}
