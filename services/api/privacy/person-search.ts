import type { Guide } from '#shared/contracts/guide.ts';
import type { LogEntry } from '#shared/stores/event-log.ts';
import type { PersonSection } from './personal-data-store.ts';

/** By what a person is searched for; the names stand in the answers that operators read. */
type SearchKind = 'telefono' | 'correo' | 'nombre';
export type PersonSearch = { by: SearchKind; wanted: string };

/** Where a guide names a person, and the fields that are compared. */
const FIELDS: Readonly<Record<PersonSection, Readonly<Record<SearchKind, readonly string[]>>>> = {
  Remitente: { nombre: ['Nombre'], correo: ['Email'], telefono: ['Telefono', 'Celular'] },
  Destinatario: { nombre: ['Nombre', 'RazonSocial'], correo: ['Email'], telefono: ['Telefono', 'Celular'] },
  Creado_por: { nombre: ['Nombre'], correo: [], telefono: [] },
};
export const PERSON_SECTIONS = Object.keys(FIELDS) as PersonSection[];

/** Brings what was typed and what is stored to the same form. */
const NORMALIZED: Readonly<Record<SearchKind, (text: string) => string>> = {
  // Mexico's prefix, also with the 1 that mobile phones had, is left out: most phones are stored without it.
  telefono: (text) => text.replaceAll(/\D/g, '').replace(/^521?(?=\d{10}$)/, ''),
  correo: (text) => text.trim().toLowerCase(),
  nombre: (text) =>
    text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim().replaceAll(/\s+/g, ' '),
};

export function personSearch(by: SearchKind, text: string): PersonSearch {
  return { by, wanted: NORMALIZED[by](text) };
}

export function namesReceiver({ by, wanted }: PersonSearch, { told: { Recibe } }: LogEntry): boolean {
  return by === 'nombre' && Recibe !== undefined && NORMALIZED.nombre(Recibe) === wanted;
}

export function sectionsNaming({ by, wanted }: PersonSearch, guide: Guide): PersonSection[] {
  return PERSON_SECTIONS.filter((section) => {
    const fields: Record<string, string | undefined> = guide[section];
    return FIELDS[section][by].some((name) => {
      const value = fields[name];
      return value !== undefined && NORMALIZED[by](value) === wanted;
    });
  });
}
