import { describe, expect } from 'vitest';
import { personalEvents } from '#services/api/tracking/personal-data.ts';
import { tracking } from '#services/api/tracking/room.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { Client } from '#test/fixtures/client.ts';
import { event, test as eventTest } from '#test/fixtures/events.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';

/**
 * What is read in several answers of the database, all of whose documents are changed between two answers: a cursor without
 * an order then returns documents twice, or not at all, in DocumentDB.
 */

const test = eventTest
  /** Addresses a database that changes all documents of a collection before it answers with more of them. */
  .extend('changingUri', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const proxy = await startMongoProxy(stores.mongoUri, async ({ getMore, collection }): Promise<Fate> => {
      if (getMore) await stores.mongo.collection(String(collection)).updateMany({}, { $inc: { changed: 1 } });
      return 'done';
    });
    onCleanup(proxy.close);
    return proxy.uri;
  })
  .extend('changing', { scope: 'file' }, async ({ changingUri, startApi }) => {
    const { url, contextOf } = await startApi({ MONGODB_URI: changingUri });
    return { contextOf, scanner: await Client.login(url, 'escaner') };
  });

describe('in several answers are read, each once,', () => {
  test('the events of a guide, of which each further one has the next version', async ({
    changing: { scanner, contextOf },
    newGuide,
  }) => {
    const guide = await newGuide();
    const tell = (Eventos: object[]) => scanner.post('/api/eventos', { Eventos });
    const ids = Array.from({ length: 400 }, (_, i) => `e${i}`);
    await tell(ids.map((Id) => event(guide, 'EnTransito', { Id })));
    for (const Id of ['f1', 'f2', 'f3']) await tell([event(guide, 'EnReparto', { Id })]);
    const entries = await contextOf(tracking).eventLog.ofGuides([guide]);
    expect(entries.map(({ told }) => told.Id)).toEqual([...ids, 'f1', 'f2', 'f3']);
    expect(entries.map(({ version }) => version)).toEqual(entries.map((_, i) => i + 1));
  });

  test('the events that name a person', async ({ changingUri, newGuide, register }) => {
    const guide = await newGuide();
    const ids = Array.from({ length: 300 }, (_, i) => `n${i}`);
    await register(...ids.map((Id) => event(guide, 'EnTransito', { Id, Nota: Id })));
    const mongo = await connectMongo(changingUri, { warn() {} });
    const events = await personalEvents.ofGuides(mongo, [guide]);
    expect(events.map((record) => record.shownTo([]))).toMatchObject(ids.map((Nota) => ({ Nota })));
    await mongo.close();
  });
});
