import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import type { AccountTexts } from '#services/api/platform/personal-data.ts';
import { countNaming, erasePerson, exportPerson, type Walk } from '#services/api/privacy/person-data.ts';
import { mentions, personSearch } from '#services/api/privacy/person-search.ts';
import { Retention } from '#services/api/privacy/retention.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { test as stores } from '#test/fixtures/stores.ts';

/** Texts about an account name persons too: these are of the test's own collection. */

type Note = { _id: string; text: string; at: Date };
const ANONYMOUS = '[anonimizado]';
const DAY_MS = 24 * 3_600_000;

const test = stores
  .extend('notes', async ({ stores }) => {
    const notes = stores.mongo.collection<Note>('notesOfTest');
    await notes.deleteMany({});
    await notes.insertMany([
      { _id: 'a', text: 'Llamar a Íñigo Peña, 55 1234 5678', at: new Date() },
      {
        _id: 'b',
        text: 'Preguntar por Iñigo  pena (antes de las 5)',
        at: new Date(Date.now() - 91 * DAY_MS),
      },
      { _id: 'c', text: 'Paga el lunes', at: new Date() },
    ]);
    return notes;
  })
  .extend('texts', ({ notes }): Walk['texts'] => ({ besideGuides: [], ofAccounts: [kindOf(notes)] }))
  .extend('walkFor', ({ stores, texts }) => (by: 'nombre' | 'telefono', wanted: string): Walk => {
    return { mongo: stores.mongo, texts, search: personSearch(by, wanted), onProgress: () => {} };
  });

type Notes = { find: (query: object) => AsyncIterable<Note> & { toArray(): Promise<Note[]> } };

function kindOf(
  notes: Notes & { updateMany(query: object, change: object): Promise<unknown> },
): AccountTexts {
  const anonymise = async (ids: readonly string[]) => {
    await notes.updateMany({ _id: { $in: [...ids] } }, { $set: { text: ANONYMOUS } });
  };
  return {
    field: 'notas',
    async *all() {
      for await (const { _id, text } of notes.find({})) yield { id: _id, text, shown: { Nota: text } };
    },
    anonymise: (_, ids) => anonymise(ids),
    async anonymiseOlder(_, before) {
      const old = await notes.find({ at: { $lt: before }, text: { $ne: ANONYMOUS } }).toArray();
      await anonymise(old.map(({ _id }) => _id));
      return old.length;
    },
  };
}

test('an export shows those that name the person', async ({ walkFor }) => {
  const walk = walkFor('nombre', 'IÑIGO PEÑA');
  let text = '';
  for await (const part of exportPerson(walk)) text += part;
  expect(await countNaming(walk)).toEqual({ guides: 0, texts: 2 });
  expect(JSON.parse(text)).toEqual({
    busqueda: 'nombre',
    guias: [],
    notas: [
      { Nota: 'Llamar a Íñigo Peña, 55 1234 5678' },
      { Nota: 'Preguntar por Iñigo  pena (antes de las 5)' },
    ],
  });
});

test('an erasure takes away those that name the person', async ({ notes, walkFor }) => {
  const counts = await erasePerson(walkFor('telefono', '+52 1 55 1234 5678'));
  expect(counts).toEqual({ guides: 0, texts: 1 });
  expect((await notes.find({}).toArray()).map(({ text }) => text === ANONYMOUS)).toEqual([
    true,
    false,
    false,
  ]);
});

test('retention takes away the old ones', async ({ notes, stores, texts }) => {
  const { mongo, redis, prefix } = stores;
  const parts = { clock: new DatabaseClock(mongo), log: pino({ level: 'silent' }), metrics: new Registry() };
  await new Retention({ mongo, redis, prefix: `${prefix}:notes`, texts, days: 90, ...parts }).runIfDue();
  expect((await notes.find({}).toArray()).map(({ text }) => text === ANONYMOUS)).toEqual([
    false,
    true,
    false,
  ]);
});

test.for([
  ['nombre', 'ana lopez', 'Avisar a Ana López.', true],
  ['nombre', 'ana', 'Mariana no está', false],
  ['correo', 'ANA@correo.mx', 'escribir a ana@Correo.mx', true],
  ['telefono', '5512345678', 'tel. (55) 1234-5678 o 81 0000 0000', true],
  ['telefono', '5512345678', 'tel. 55 1234 0000', false],
] as const)('%s %s in %s: %s', ([by, wanted, text, expected]) => {
  expect(mentions(personSearch(by, wanted), text)).toBe(expected);
});
