import { isTestNumber } from '#shared/contracts/guide.ts';
import { inCharset } from '#shared/contracts/label-charset.ts';
import type { LabelPayload } from '#shared/contracts/label-job.ts';

type Guide = LabelPayload['guide'];
/** An absent field is empty, or a dash in a table. */
export type LabelView = ReturnType<typeof labelView>;

const SERVICES = { Domicilio: 'Entrega a domicilio', 'the service': 'Recoge en sucursal' } as const;
/** A label of a test account says in one line, or left and right of a code, that nobody may send the parcel. */
const TEST_BAND = { band: 'PRUEBA · NO ENVIAR', left: 'PRUEBA', right: 'NO ENVIAR' };
const NO_BAND = { band: undefined, left: undefined, right: undefined };
/** What a table has in place of an absent value. */
export const NONE = '—';
const decimal = new Intl.NumberFormat('es-MX', { maximumFractionDigits: 3 });
/** A smaller measure would be shown as 0. */
const LEAST = 0.001;
const money = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });

/** Returns what a label of any kind may show, in characters of the label's font except in codes. */
export function labelView({ logo, ...payload }: LabelPayload) {
  const { guide, ...label } = allInCharset(payload);
  const { Remitente: from, Creado_por: author } = guide;
  const number = label.number.replace(/(\d{4})(?=\d)/g, '$1 ');
  return {
    carrier: { name: label.carrier, logo },
    /** The barcode's value, and the same number in groups of four digits. */
    code: label.number,
    number,
    tracking: { url: payload.trackingUrl, text: label.trackingUrl },
    test: testBand(isTestNumber(label.number)),
    service: SERVICES[label.service].toUpperCase(),
    date: dateText(label.createdAt),
    origin: label.origin,
    destination: label.destination,
    sender: { name: from.Nombre, phones: phones(from), email: from.Email, ...returnAddress(from) },
    recipient: recipientView(guide.Destinatario),
    goods: goodsView(guide.Producto),
    author: { name: author.Nombre ?? NONE, agency: author.Agencia ?? NONE },
    ownReference: guide.Referencia && `Referencia: ${guide.Referencia}`,
    packages: printedPackages(label).map((index) => {
      const suffix = packageSuffix(index);
      return {
        position: `${index}/${label.packages}`,
        code: `${label.number}-${suffix}`,
        number: `${number} - ${suffix}`,
      };
    }),
  };
}

export function testBand(isTest: boolean) {
  return isTest ? TEST_BAND : NO_BAND;
}

/** @param createdAt as `YYYY-MM-DDTHH:mm:ss`. */
export function dateText(createdAt: string): string {
  const [date = '', time = ''] = createdAt.split('T');
  return `${date.split('-').reverse().join('/')} ${time.slice(0, 5)}`;
}

/** Returns the packages that have a page, from 1. */
function printedPackages({ packages, package: only }: Pick<LabelPayload, 'packages' | 'package'>): number[] {
  return only === undefined ? Array.from({ length: packages }, (_, i) => i + 1) : [only];
}

/** Returns the end of a package's number, after the guide's number (docs/contract.md "Labels"). */
function packageSuffix(index: number): string {
  return String(index).padStart(2, '0');
}

/** Two lines, and both in one. Without a return address all are empty. */
function returnAddress(from: Guide['Remitente']) {
  const street = streetText(from);
  const place = list(', ', districtText(from), placeText(from));
  return { street, place, address: list(', ', street, place) };
}

function recipientView(to: Guide['Destinatario']) {
  return {
    name: to.Nombre,
    company: list(' · ', to.RazonSocial, to.RFC && `RFC ${to.RFC.toUpperCase()}`),
    street: streetText(to),
    district: districtText(to),
    place: placeText(to),
    postalCode: to.CodigoPostal ?? NONE,
    reference: to.Referencias && `Referencias: ${to.Referencias}`,
    shortReference: to.Referencias && `Ref. ${to.Referencias}`,
    phones: phones(to),
    email: to.Email,
  };
}

type Address = Guide['Remitente'] | Guide['Destinatario'];

function streetText({ Calle, Numero_exterior, Numero_interior }: Address): string {
  return list(' ', Calle, Numero_exterior, Numero_interior && `Int. ${Numero_interior}`);
}

function districtText({ Colonia }: Address): string | undefined {
  return Colonia && `Col. ${Colonia}`;
}

function placeText({ CodigoPostal, Municipio, Estado }: Address): string {
  return list(', ', list(' ', CodigoPostal && `C.P. ${CodigoPostal}`, Municipio), Estado);
}

function goodsView(goods: Guide['Producto']) {
  const measures = [goods.Largo, goods.Ancho, goods.Alto];
  return {
    kind: goods.TipoEnvio ?? NONE,
    content: goods.Contenido,
    information: goods.InformacionAdicional,
    packages: goods.Paquetes && `Paquetes: ${goods.Paquetes}`,
    weight: goods.Peso === undefined ? NONE : `${measureText(goods.Peso)} kg`,
    measures: measures.some((side) => side !== undefined)
      ? `${measures.map((side) => (side === undefined ? NONE : measureText(side))).join(' × ')} cm`
      : NONE,
    value: goods.ValorDeclarado === undefined ? NONE : `${money.format(goods.ValorDeclarado)} MXN`,
  };
}

export function measureText(value: number): string {
  return decimal.format(Math.max(value, LEAST));
}

function phones({ Celular, Telefono }: { Celular?: string; Telefono?: string }): string {
  const numbers = list(' / ', Celular, Telefono);
  return numbers && `Tel. ${numbers}`;
}

function list(separator: string, ...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(separator);
}

function allInCharset<T>(value: T): T {
  if (typeof value === 'string') return inCharset(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, allInCharset(part)])) as T;
}
