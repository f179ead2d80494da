import { PERSON_SECTIONS, type PersonSearch, sectionsNaming } from './person-search.ts';
import type { PersonalDataStore, PersonSection, StoredGuide } from './personal-data-store.ts';

/** Guides that are read at a time: some megabyte. */
const PAGE_SIZE = 1_000;
/** The person's part in a guide, as an export says it. */
const ROLES: Readonly<Record<PersonSection, string>> = {
  Remitente: 'remitente',
  Destinatario: 'destinatario',
  Creado_por: 'autor',
};

/** Is called with the number of guides that were looked at so far. */
export type OnProgress = (seen: number) => void;
type Found = { stored: StoredGuide; sections: PersonSection[] };

/** Finds the guides that name a person, page by page, once all that are committed are stored. No index helps. */
async function* findPages(
  store: PersonalDataStore,
  search: PersonSearch,
  onProgress: OnProgress,
): AsyncGenerator<Found[]> {
  let seen = 0;
  await store.untilStored();
  for await (const page of store.pages(PAGE_SIZE)) {
    seen += page.length;
    onProgress(seen);
    yield page
      .map((stored) => ({ stored, sections: sectionsNaming(search, stored.guide) }))
      .filter(({ sections }) => sections.length > 0);
  }
}

/** Counts the guides that name a person. */
export async function countGuides(
  store: PersonalDataStore,
  search: PersonSearch,
  onProgress: OnProgress,
): Promise<number> {
  let count = 0;
  for await (const found of findPages(store, search, onProgress)) count += found.length;
  return count;
}

/**
 * Anonymises a person in all guides: the sections that name the person, and nothing of the others in those guides.
 * Interrupted, it may be called again.
 *
 * @returns how many guides were changed.
 */
export async function erasePerson(
  store: PersonalDataStore,
  search: PersonSearch,
  onProgress: OnProgress,
): Promise<number> {
  let count = 0;
  for await (const found of findPages(store, search, onProgress)) {
    for (const section of PERSON_SECTIONS) {
      const named = found.filter(({ sections }) => sections.includes(section));
      if (named.length > 0)
        await store.anonymiseSection(
          named.map(({ stored }) => stored._id),
          section,
        );
    }
    count += found.length;
  }
  return count;
}

/**
 * Writes what all guides hold of a person as JSON, in pieces: the person's own section and the shipment, and nothing of the
 * other people in those guides.
 *
 * @returns how many guides there are.
 */
export async function* exportPerson(
  store: PersonalDataStore,
  search: PersonSearch,
  onProgress: OnProgress,
): AsyncGenerator<string, number> {
  let count = 0;
  let separator = '\n';
  yield `{"busqueda":${JSON.stringify(search.by)},"guias":[`;
  for await (const found of findPages(store, search, onProgress)) {
    count += found.length;
    for (const entry of found.flatMap(entriesOf)) {
      yield separator + JSON.stringify(entry);
      separator = ',\n';
    }
  }
  yield '\n]}\n';
  return count;
}

function entriesOf({ stored, sections }: Found) {
  const { _id, createdAt, status, service, origin, destination, guide } = stored;
  return sections.map((section) => ({
    guia: _id,
    fecha: createdAt,
    servicio: service,
    origen: origin.code,
    destino: destination.code,
    estatus: status,
    referencia: guide.Referencia,
    papel: ROLES[section],
    datos: guide[section],
    producto: guide.Producto,
  }));
}
