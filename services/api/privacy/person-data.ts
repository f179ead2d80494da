import type { Connection } from 'mongoose';
import { type GuideDocument, PERSON_SECTIONS, type PersonSection } from '#shared/guides/guide-model.ts';
import { allGuides, anonymiseSection } from '../guides/anonymise-guides.ts';
import type {
  AccountTexts,
  PersonalRecord,
  PersonalRecords,
  PersonalTexts,
} from '../platform/personal-data.ts';
import { isOfName, mentions, type PersonSearch, sectionsNaming } from './person-search.ts';

/** Walks over all guides to find those that name a person. */
export type Walk = {
  mongo: Connection;
  /** What the rooms store beside guides. */
  texts: PersonalTexts;
  search: PersonSearch;
  /** `seen` is the number of guides read so far. */
  onProgress: (seen: number) => void;
};
/** Records of a kind, beside a guide, with the searched name alone: those that have it, and all that are the person's. */
type FoundRecords = { kind: PersonalRecords; named: PersonalRecord[]; own: PersonalRecord[] };
/** A guide that names the person. Its sender and its recipient own all records beside it, its author none. */
type Found = { stored: GuideDocument; sections: PersonSection[]; beside: FoundRecords[] };

/** Finds guides page by page. No index helps. */
async function* findPages({ mongo, texts, search, onProgress }: Walk): AsyncGenerator<Found[]> {
  let seen = 0;
  for await (const page of allGuides(mongo)) {
    seen += page.length;
    onProgress(seen);
    const numbers = page.map(({ _id }) => _id);
    const records = await Promise.all(
      texts.besideGuides.map(async (kind) => {
        const byGuide = Map.groupBy(await kind.ofGuides(mongo, numbers), ({ guide }) => guide);
        return { kind, byGuide };
      }),
    );
    yield page
      .map((stored) => {
        const sections = sectionsNaming(search, stored.guide);
        const isSide = sections.some((section) => PERSON_SECTIONS[section].isSide);
        const beside = records.map(({ kind, byGuide }) => {
          const all = (byGuide.get(stored._id) ?? []).map((record) => ({
            ...record,
            names: record.names.filter((name) => isOfName(search, name)),
          }));
          const named = all.filter(({ names }) => names.length > 0);
          return { kind, named, own: isSide ? all : named };
        });
        return { stored, sections, beside };
      })
      .filter(({ sections, beside }) => sections.length > 0 || beside.some(({ named }) => named.length > 0));
  }
}

/** How many guides name the person, themselves or beside them, and how many texts about accounts. */
export type Counts = { guides: number; texts: number };

export async function countNaming(walk: Walk): Promise<Counts> {
  const counts = { guides: 0, texts: 0 };
  for await (const found of findPages(walk)) counts.guides += found.length;
  for (const kind of walk.texts.ofAccounts) counts.texts += (await textsNaming(walk, kind)).length;
  return counts;
}

/**
 * Anonymises a person in all guides, in what is stored beside them, and in texts about accounts. May be repeated after an interruption.
 * @returns how much has changed.
 */
export async function erasePerson(walk: Walk): Promise<Counts> {
  const { mongo, texts } = walk;
  const counts = { guides: 0, texts: 0 };
  for await (const found of findPages(walk)) {
    for (const section of Object.keys(PERSON_SECTIONS) as PersonSection[]) {
      const named = found.filter(({ sections }) => sections.includes(section));
      const numbers = named.map(({ stored }) => stored._id);
      if (numbers.length > 0) await anonymiseSection(mongo, numbers, section);
    }
    for (const [i, kind] of texts.besideGuides.entries()) {
      await kind.anonymise(
        mongo,
        found.flatMap(({ beside }) => beside[i]?.own.map(({ id }) => id) ?? []),
      );
    }
    counts.guides += found.length;
  }
  for (const kind of texts.ofAccounts) {
    const found = await textsNaming(walk, kind);
    counts.texts += found.length;
    await kind.anonymise(
      mongo,
      found.map(({ id }) => id),
    );
  }
  return counts;
}

/** Returns the texts of a kind that name the person. */
async function textsNaming({ mongo, search }: Walk, kind: AccountTexts) {
  const found: { id: string; shown: object }[] = [];
  for await (const { id, text, shown } of kind.all(mongo)) {
    if (mentions(search, text)) found.push({ id, shown });
  }
  return found;
}

/**
 * Writes a person's data as JSON in pieces: own sections and shipments, without the other people.
 * @returns how much names the person.
 */
export async function* exportPerson(walk: Walk): AsyncGenerator<string, Counts> {
  const counts = { guides: 0, texts: 0 };
  let separator = '\n';
  yield `{"busqueda":${JSON.stringify(walk.search.by)},"guias":[`;
  for await (const found of findPages(walk)) {
    counts.guides += found.length;
    for (const entry of found.flatMap(entriesOf)) {
      yield separator + JSON.stringify(entry);
      separator = ',\n';
    }
  }
  yield '\n]';
  for (const kind of walk.texts.ofAccounts) {
    const found = await textsNaming(walk, kind);
    counts.texts += found.length;
    const shown = JSON.stringify(found.map((text) => text.shown));
    if (found.length > 0) yield `,\n${JSON.stringify(kind.field)}:${shown}`;
  }
  yield '}\n';
  return counts;
}

function entriesOf({ stored, sections, beside }: Found) {
  const { _id, createdAt, status, service, origin, destination, guide } = stored;
  const lists = beside.flatMap(({ kind, own }) =>
    own.length === 0 ? [] : [[kind.field, own.map((record) => record.shownTo(record.names))]],
  );
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
    ...Object.fromEntries(lists),
  });
  return [
    ...sections.map((section) => entry(PERSON_SECTIONS[section].papel, guide[section])),
    ...beside.flatMap(({ kind, named: [first] }) =>
      first ? [entry(kind.part, { Nombre: first.names[0] })] : [],
    ),
  ];
}
