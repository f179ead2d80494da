import type { Connection } from 'mongoose';
import { expect, onTestFinished } from 'vitest';
import { evidence as room } from '#services/api/evidence/room.ts';
import { Client } from '#test/fixtures/client.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { type Fate, type MongoCommand, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { test as evidence, listedOf, outcomeOf, pathOf, put, storedOf } from './fixture.ts';
import { png } from './pictures.ts';

/** An api dies around each write of a picture, or its answer is lost: either all of it is there in the end, or nothing. */

/** The writes of a picture in their order. */
const WRITES = ['document', 'picture', 'copy', 'kept', 'entry', 'state', 'done'] as const;
type Write = (typeof WRITES)[number];
/** The first write after which a picture is seen in the end, whatever happens. */
const COMMIT = WRITES.indexOf('kept');

function writeOf({ insert, update, updates }: MongoCommand, pictures: number): Write | undefined {
  if (insert === 'evidence') return 'document';
  if (update === 'pictures') return pictures === 0 ? 'picture' : 'copy';
  if (insert === 'events') return 'entry';
  if (update === 'guides') return 'state';
  if (update !== 'evidence') return undefined;
  const [{ u }] = updates as [{ u: { $set?: object; $unset?: object } }];
  return u.$unset ? 'done' : 'kept';
}

const test = evidence
  /** Starts an api that meets a fate at a write of a picture, once or always. */
  .extend(
    'startFated',
    { scope: 'file' },
    ({ scanner, startApi, stores }) =>
      async (at: Write, fate: Fate, times = 1) => {
        let pictures = 0;
        let met = 0;
        const proxy = await startMongoProxy(stores.mongoUri, (command) => {
          const write = writeOf(command, pictures);
          if (write === 'picture') pictures++;
          if (write !== at || met >= times) return 'done';
          met++;
          return fate;
        });
        onTestFinished(proxy.close);
        const { server, url } = await startApi({ MONGODB_URI: proxy.uri });
        return { server, fated: new Client(url, scanner.token), close: proxy.close };
      },
  )
  /** Has another api finish what is cut. */
  .extend('finish', { scope: 'file' }, ({ api }) => async () => {
    const { sweep } = api.contextOf(room);
    await finishCut({ sweep: (log) => sweep.run(log) });
    await finishCut({ sweep: (log) => sweep.run(log) });
  });

test.for(
  WRITES.flatMap((write) => (['answer lost', 'never done'] as const).map((fate) => [write, fate] as const)),
)(
  'a picture is kept once where the write of its %s meets: %s',
  async ([write, fate], { delivered, demo, startFated, stores }) => {
    const { server, fated } = await startFated(write, fate);
    const guide = await delivered();
    const path = pathOf(guide, 'e1', 'firma');
    const first = await put(fated, path);
    if (first.status !== 200) {
      expect([first.status, first.headers.get('retry-after')]).toEqual([503, '2']);
      expect(outcomeOf(await put(fated, path))).toEqual([200, 'Evidencia guardada']);
    }
    expect(listedOf(await demo.get(`/api/guias/${guide}/evidencia`))).toHaveLength(1);
    expect(await storedOf(stores.mongo, guide)).toMatchObject({ evidence: [{ state: 'kept' }], pictures: 2 });
    await server.close();
  },
);

test.for(WRITES.map((write, i) => [write, i] as const))(
  'of a picture whose api dies after the write of its %s, all or nothing is there in the end',
  async ([write, i], { delivered, demo, finish, send, startFated, stores }) => {
    const { fated, close } = await startFated(write, 'server lost');
    const guide = await delivered();
    // It waits for the database, and dies with the file's other processes.
    void put(fated, pathOf(guide, 'e1', 'firma')).catch(() => undefined);
    await expect.poll(() => isWritten(write, stores.mongo, guide)).toBe(true);
    await close();
    const isSeen = async () => listedOf(await demo.get(`/api/guias/${guide}/evidencia`)).length;
    if (i < WRITES.indexOf('entry')) expect(await isSeen()).toBe(0);
    await finish();
    const { evidence, pictures } = await storedOf(stores.mongo, guide);
    if (i >= COMMIT) {
      expect([await isSeen(), evidence.length, evidence[0]?.openSince, pictures]).toEqual([
        1,
        1,
        undefined,
        2,
      ]);
      expect(outcomeOf(await send(guide))).toEqual([200, 'Evidencia guardada']);
    } else {
      expect([await isSeen(), evidence.length]).toEqual([0, 0]);
      expect(await stores.mongo.collection('pictures').countDocuments({})).toBe(
        await allReferred(stores.mongo),
      );
      expect(outcomeOf(await send(guide, 'firma', png(30, 30)))).toEqual([200, 'Evidencia guardada']);
    }
  },
);

/** Returns whether the database has done a write of the picture of a guide. */
async function isWritten(write: Write, mongo: Connection, guide: string): Promise<boolean> {
  const { evidence, pictures } = await storedOf(mongo, guide);
  const [document] = evidence;
  const entry = { 'told.Guia': guide, 'told.Tipo': 'Evidencia' };
  const isDone: Record<Write, () => boolean | Promise<boolean>> = {
    document: () => document !== undefined,
    picture: () => pictures > 0,
    copy: () => pictures > 1,
    kept: () => document?.state === 'kept',
    entry: async () => (await mongo.collection('events').countDocuments(entry)) > 0,
    state: async () =>
      (await mongo.collection<{ _id: string }>('guides').countDocuments({ _id: guide, events: 2 })) > 0,
    done: () => document !== undefined && !document.openSince,
  };
  return isDone[write]();
}

/** Returns how many pictures documents refer to. */
async function allReferred(mongo: Connection): Promise<number> {
  return 2 * (await mongo.collection('evidence').countDocuments({}));
}
