import type { Connection } from 'mongoose';
import { type GuideDocument, PERSON_SECTIONS, type PersonSection } from '#shared/guides/guide-model.ts';
import { type LogEntry, personalFields } from '#shared/tracking/event-model.ts';
import { untilStored } from '../guides/until-stored.ts';
import { namesReceiver, type PersonSearch, sectionsNaming } from './person-search.ts';
import type { PersonalDataStore } from './personal-data-store.ts';

/** Some megabyte of guides. */
const PAGE_SIZE = 1_000;
/** Walks over all guides to find those that name a person. */
export type Walk = {
  mongo: Connection;
  store: PersonalDataStore;
  search: PersonSearch;
  /** `seen` is the number of guides read so far. */
  onProgress: (seen: number) => void;
};
/**
 * `received`: events that the person received. `events`: all with personal data, of a guide whose side the person is.
 */
type Found = { stored: GuideDocument; sections: PersonSection[]; received: LogEntry[]; events: LogEntry[] };

/** Finds guides page by page, once all that are committed are stored. No index helps. */
async function* findPages({ mongo, store, search, onProgress }: Walk): AsyncGenerator<Found[]> {
  let seen = 0;
  await untilStored(mongo);
  for await (const page of store.pages(PAGE_SIZE)) {
    seen += page.length;
    onProgress(seen);
    const events = await store.personalEvents(page.map(({ _id }) => _id));
    const byGuide = Map.groupBy(events, ({ told: event }) => event.Guia);
    yield page
      .map((stored) => foundIn(search, stored, byGuide.get(stored._id) ?? []))
      .filter(({ sections, received }) => sections.length + received.length > 0);
  }
}

function foundIn(search: PersonSearch, stored: GuideDocument, personal: LogEntry[]): Found {
  const sections = sectionsNaming(search, stored.guide);
  const received = personal.filter((event) => namesReceiver(search, event));
  return { stored, sections, received, events: sections.length > 0 ? personal : received };
}

export async function countGuides(walk: Walk): Promise<number> {
  let count = 0;
  for await (const found of findPages(walk)) count += found.length;
  return count;
}

/**
 * Anonymises a person in all guides: the person's sections, recipients of deliveries, and notes. May be repeated
 * after an interruption.
 * @returns the number of changed guides.
 */
export async function erasePerson(walk: Walk): Promise<number> {
  const { store } = walk;
  let count = 0;
  for await (const found of findPages(walk)) {
    for (const section of Object.keys(PERSON_SECTIONS) as PersonSection[]) {
      const named = found.filter(({ sections }) => sections.includes(section));
      const numbers = named.map(({ stored }) => stored._id);
      if (numbers.length > 0) await store.anonymiseSection(numbers, section);
    }
    await store.anonymiseEvents(found.flatMap(({ events }) => events.map(({ _id }) => _id)));
    count += found.length;
  }
  return count;
}

/**
 * Writes a person's data as JSON in pieces: own sections and shipments, without the other people.
 * @returns the number of guides.
 */
export async function* exportPerson(walk: Walk): AsyncGenerator<string, number> {
  let count = 0;
  let separator = '\n';
  yield `{"busqueda":${JSON.stringify(walk.search.by)},"guias":[`;
  for await (const found of findPages(walk)) {
    count += found.length;
    for (const entry of found.flatMap(entriesOf)) {
      yield separator + JSON.stringify(entry);
      separator = ',\n';
    }
  }
  yield '\n]}\n';
  return count;
}

function entriesOf({ stored, sections, received, events }: Found) {
  const { _id, createdAt, status, service, origin, destination, guide } = stored;
  const delivered = events.map((event) => {
    const { Ocurrido, Tipo } = event.told;
    return { Ocurrido, Tipo, ...personalFields(event.told, { receiver: received.includes(event) }) };
  });
  const entry = (papel: string, datos: object) => ({
    guia: _id,
    fecha: createdAt,
    servicio: service,
    origen: origin.code,
    destino: destination.code,
    estatus: status,
    referencia: guide.Referencia,
    papel,
    datos,
    producto: guide.Producto,
    ...(delivered.length > 0 && { eventos: delivered }),
  });
  const [first] = received;
  return [
    ...sections.map((section) => entry(PERSON_SECTIONS[section], guide[section])),
    ...(first ? [entry('receptor', { Nombre: first.told.Recibe })] : []),
  ];
}
