import { type Guide, SentGuide } from '#shared/contracts/guide.ts';
import type { ProblemList } from '#shared/errors.ts';
import { isObject, tidyFields } from './body.ts';

/** The fields of each section of a guide; its other fields have none. */
const SECTIONS = Object.entries(SentGuide.properties).flatMap(([name, schema]) =>
  'properties' in schema ? [[name, new Set(Object.keys(schema.properties))] as const] : [],
);
const SECTION_NAMES: ReadonlySet<string> = new Set(Object.keys(SentGuide.properties));
const MEASURES = ['Peso', 'Largo', 'Alto', 'Ancho'] as const;

/**
 * Copies the fields of a guide that are known, as tidy text (docs/contract.md "Guides"). Unknown values are looked at no
 * further, so the work is bounded by the names, whatever else a body has.
 *
 * @param unknown gets a problem for each name that is not known.
 * @returns what is no object as it is: the schema refuses it.
 */
export function tidyGuide(guide: unknown, indice: number, unknown: ProblemList): unknown {
  if (!isObject(guide)) return guide;
  const copy = tidyFields(guide, SECTION_NAMES, unknown, { indice });
  for (const [section, fields] of SECTIONS) {
    const value = copy[section];
    if (isObject(value)) copy[section] = tidyFields(value, fields, unknown, { indice, section });
  }
  return copy;
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
