import { type Guide, SentGuide } from '#shared/contracts/guide.ts';
import { isBlank } from '#shared/contracts/label-charset.ts';

/** The fields of each section of a guide; its other fields have none. */
const SECTIONS = Object.entries(SentGuide.properties).flatMap(([name, schema]) =>
  'properties' in schema ? [[name, new Set(Object.keys(schema.properties))] as const] : [],
);
const SECTION_NAMES: ReadonlySet<string> = new Set(Object.keys(SentGuide.properties));
const MEASURES = ['Peso', 'Largo', 'Alto', 'Ancho'] as const;

/** No field has so many characters, also when some of them are line breaks that go. */
const MAX_LENGTH = 1_000;
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/;

/** Is told of a name that is not one of `known`, with the section that it stands in. */
export type OnUnknown = (name: string, known: ReadonlySet<string>, section?: string) => void;

/**
 * Copies the fields of a guide that are known, as tidy text (docs/contract.md "Guides"). Unknown values are looked at no
 * further, so the work is bounded by the names, whatever else a body has.
 *
 * @returns what is no object as it is: the schema refuses it.
 */
export function tidyGuide(guide: unknown, onUnknown: OnUnknown): unknown {
  if (!isObject(guide)) return guide;
  const copy = tidyFields(guide, SECTION_NAMES, (name) => onUnknown(name, SECTION_NAMES));
  for (const [section, fields] of SECTIONS) {
    const value = copy[section];
    if (!isObject(value)) continue;
    copy[section] = tidyFields(value, fields, (name) => onUnknown(name, fields, section));
  }
  return copy;
}

/**
 * Copies the known fields that are not absent, in their order, on which hashes of older requests depend. Calls `onUnknown`
 * for each other name; one whose value means "nothing" is no mistake.
 */
export function tidyFields(
  from: Record<string, unknown>,
  known: ReadonlySet<string>,
  onUnknown: (name: string) => void,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(from)) {
    const value = tidy(from[name]);
    if (isAbsent(value)) continue;
    if (known.has(name)) copy[name] = value;
    else onUnknown(name);
  }
  return copy;
}

/**
 * Trims a text, and makes each run of line breaks and tabs in it one blank. A text of nothing but invisible characters
 * becomes empty: a label with such a name would have no recipient. What is too long for any field is cut, to a
 * length that is still too long, so that no pattern reads megabytes.
 */
export function tidy(value: string): string;
export function tidy(value: unknown): unknown;
export function tidy(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text.length > MAX_LENGTH) return text.slice(0, MAX_LENGTH);
  if (isBlank(text)) return '';
  // Trimmed again: U+0085 is a line break, but none that `trim` knows.
  return BREAKS.test(text) ? text.split(BREAKS).join(' ').trim() : text;
}

/** Tells whether a value is what clients send for "nothing": they send whole forms. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Brings the fields of a valid guide into the one form in which they are stored, echoed and printed, in place. */
export function normalizeGuide({ Remitente, Destinatario, Producto }: Guide): void {
  for (const person of [Remitente, Destinatario]) {
    if (person.Telefono !== undefined) person.Telefono = digitsOf(person.Telefono);
    if (person.Celular !== undefined) person.Celular = digitsOf(person.Celular);
  }
  if (Destinatario.RFC !== undefined) {
    const letters = Destinatario.RFC.replace(/[\s\u2010-\u2015-]/g, '');
    Destinatario.RFC = letters.normalize('NFC').toUpperCase();
  }
  for (const name of MEASURES) if (Producto[name] === 0) delete Producto[name];
}

function digitsOf(phone: string): string {
  return phone.replace(/[^0-9]/g, '');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
