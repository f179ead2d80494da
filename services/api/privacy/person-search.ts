import type { Guide } from '#shared/contracts/guide.ts';
import type { LogEntry } from '#shared/stores/event-log.ts';
import { UsageError } from '../accounts/arguments.ts';
import type { PersonSection } from './personal-data-store.ts';

/** By what a person is searched for; the names stand in the answers that operators read. */
export type SearchKind = 'telefono' | 'correo' | 'nombre';
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

/**
 * Makes the search for a person from the options of a command, of which exactly one is given.
 *
 * @throws UsageError
 */
export function parseSearch(options: { phone?: string; email?: string; name?: string }): PersonSearch {
  const given = [
    { by: 'telefono', text: options.phone },
    { by: 'correo', text: options.email },
    { by: 'nombre', text: options.name },
  ] as const;
  const [only, another] = given.filter(({ text }) => text !== undefined);
  if (!only || another) throw new UsageError('Indique --phone, --email o --name, uno solo');
  const wanted = NORMALIZED[only.by](only.text ?? '');
  if (only.by === 'telefono' && wanted.length < 7)
    throw new UsageError('--phone debe tener al menos 7 digitos');
  if (only.by === 'correo' && !wanted.includes('@')) throw new UsageError('--email debe ser un correo');
  if (!wanted) throw new UsageError('--name no puede estar vacio');
  return { by: only.by, wanted };
}

/** Returns whether an event says that the person received. */
export function namesReceiver({ by, wanted }: PersonSearch, { told: { Recibe } }: LogEntry): boolean {
  return by === 'nombre' && Recibe !== undefined && NORMALIZED.nombre(Recibe) === wanted;
}

/** Returns the sections of a guide that name the person. */
export function sectionsNaming({ by, wanted }: PersonSearch, guide: Guide): PersonSection[] {
  return PERSON_SECTIONS.filter((section) => {
    const fields: Record<string, string | undefined> = guide[section];
    return FIELDS[section][by].some((name) => {
      const value = fields[name];
      return value !== undefined && NORMALIZED[by](value) === wanted;
    });
  });
}
