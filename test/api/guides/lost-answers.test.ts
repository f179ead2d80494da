import { randomUUID } from 'node:crypto';
import { describe, expect, vi } from 'vitest';
import { guides } from '#services/api/guides/room.ts';
import { isServerAway } from '#shared/stores/transient-errors.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { type Answer, Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { DEADLINE_MS } from '#test/fixtures/deadline.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

/** Says what becomes of the next writes to these collections; of all others, and afterwards, nothing special. */
type Script = { collection: 'guides' | 'creations'; fates: Fate[] };

/** Longest time in which guides are stored, in ms. */
const STORE_MS = 10_000;
/** More than the attempts until then, and those that are still under way after the answer. */
const ALWAYS = 1_000;

const test = services
  /** Starts an api whose writes may be lost. */
  .extend('startLossy', { scope: 'file' }, ({ startApi, stores }, { onCleanup }) => {
    const closing: (() => Promise<void>)[] = [];
    onCleanup(async () => {
      await Promise.all(closing.map((close) => close()));
    });
    return async () => {
      const script: Script = { collection: 'guides', fates: [] };
      const proxy = await startMongoProxy(
        stores.mongoUri,
        ({ insert }) => (insert === script.collection && script.fates.shift()) || 'done',
      );
      closing.push(proxy.close);
      const { url, contextOf } = await startApi({ MONGODB_URI: proxy.uri });
      const client = await Client.login(url);
      const heal = () => {
        script.fates = [];
      };
      /** Waits until the first write of a creation has met its fate. */
      const fateIsMet = () => vi.waitUntil(() => script.fates.length < ALWAYS, { timeout: DEADLINE_MS });
      const sweep = () => finishCut(contextOf(guides).journal);
      /** Creates guides with a content of their own while writes meet these fates. */
      const create = async (count: number, collection: Script['collection'], fates: Fate[]) => {
        const content = randomUUID();
        const guides = Array.from({ length: count }, () => ({
          ...minimalGuide(),
          Producto: { Contenido: content },
          Referencia: content,
        }));
        Object.assign(script, { collection, fates: [...fates] });
        return { answer: await client.create(guides), content };
      };
      return {
        client,
        journal: contextOf(guides).journal,
        create,
        heal,
        fateIsMet,
        sweep,
        loseServer: proxy.close,
      };
    };
  })
  .extend('lossy', { scope: 'file' }, ({ startLossy }) => startLossy())
  .extend(
    'stored',
    { scope: 'file' },
    ({ stores }) =>
      async (content: string, collection: Script['collection'] = 'guides') => {
        if (collection === 'guides')
          return stores.mongo.collection('guides').countDocuments({ 'guide.Producto.Contenido': content });
        const entry = { 'records.guide.Producto.Contenido': content };
        const found = await stores.mongo.collection<{ records: object[] }>('creations').findOne(entry);
        return found?.records.length ?? 0;
      },
  )
  /** How many of a creation's guides are listed, by their reference. */
  .extend('readable', { scope: 'file' }, () => async (content: string, client: Client) => {
    const { status, body } = await client.get(`/api/guias?limite=500&referencia=${content}`);
    return status === 200 ? (body.data as CreatedGuide[]).length : status;
  });

const numbers = ({ body }: Answer) => (body.data as CreatedGuide[]).map(({ SEND_GUIA }) => SEND_GUIA);

describe('where the answer to a write is lost', () => {
  test.for([
    [1, 'guides', 'answer lost'],
    [1, 'guides', 'not primary'],
    [20, 'creations', 'answer lost'],
    [500, 'guides', 'never done'],
    [20, 'creations', 'not replicated'],
  ] as const)(
    'a creation of %i is finished: insert into %s, %s',
    async ([count, collection, fate], { lossy: { client, create }, stored, readable }) => {
      const { answer, content } = await create(count, collection, [fate]);
      expect(answer.status).toBe(200);
      expect(new Set(numbers(answer)).size).toBe(count);
      expect(await stored(content)).toBe(count);
      await expect.poll(() => readable(content, client)).toBe(count);
    },
  );

  test('many customers get their own guides each', async ({ lossy: { client, create }, stored }) => {
    const contents = Array.from({ length: 24 }, () => randomUUID());
    const lost = create(1, 'guides', ['answer lost', 'answer lost', 'never done']);
    const answers = await Promise.all(
      contents.map((content) => client.create([{ ...minimalGuide(), Producto: { Contenido: content } }])),
    );
    expect((await lost).answer.status).toBe(200);
    expect(answers.map(({ status }) => status)).toEqual(contents.map(() => 200));
    expect(await Promise.all(contents.map((content) => stored(content)))).toEqual(contents.map(() => 1));
  });
});

describe('where the disk of the database is full', () => {
  test.for([
    [1, 'guides', 'no space'],
    [1, 'guides', 'no space for each'],
    [20, 'creations', 'no space'],
    [20, 'creations', 'no space for each'],
  ] as const)(
    'a creation of %i is refused at once, and nothing is stored: insert into %s, %s',
    async ([count, collection, fate], { lossy: { create, heal }, stored }) => {
      const { answer, content } = await create(count, collection, Array<Fate>(ALWAYS).fill(fate));
      heal();
      expect([answer.status, answer.body.codigo]).toEqual([503, 'servicio_no_disponible']);
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(await stored(content, collection)).toBe(0);
    },
  );

  test('a creation that is committed is finished once there is space', async ({
    lossy: { create, fateIsMet, heal },
    stored,
  }) => {
    const created = create(20, 'guides', Array<Fate>(ALWAYS).fill('no space for each'));
    await fateIsMet();
    heal();
    const { answer, content } = await created;
    expect(answer.status).toBe(200);
    expect(await stored(content)).toBe(20);
  });
});

describe('where no answer comes in ten seconds', () => {
  test.for([
    [1, 'guides', 'answer lost', 1],
    [20, 'creations', 'never done', 0],
    // The guides are committed: the database is back, and a sweep stores them.
    [20, 'guides', 'never done', 20],
  ] as const)(
    'a creation of %i is of unknown result: insert into %s, %s',
    async ([count, collection, fate, there], { lossy, readable }) => {
      const created = lossy.create(count, collection, Array<Fate>(ALWAYS).fill(fate));
      await lossy.fateIsMet();
      passTime(STORE_MS);
      const { answer, content } = await created;
      expect(answer.status).toBe(503);
      expect(answer.body.codigo).toBe('resultado_desconocido');
      expect(answer.headers.has('retry-after')).toBe(false);
      if (collection === 'guides' && count > 1) lossy.heal();
      await lossy.sweep();
      await expect.poll(() => readable(content, lossy.client)).toBe(there);
    },
  );

  test('a creation is of unknown result, then no server is left', async ({ startLossy, stored }) => {
    const cases = [
      [1, 'guides'],
      [20, 'creations'],
      [20, 'guides'],
    ] as const;
    // At once: each waits some seconds for a server.
    const creations = await Promise.all(
      cases.map(async ([count, collection]) => {
        const lossy = await startLossy();
        const created = lossy.create(count, collection, Array<Fate>(ALWAYS).fill('server lost'));
        await lossy.fateIsMet();
        return { count, collection, created };
      }),
    );
    passTime(STORE_MS);
    for (const { count, collection, created } of creations) {
      const { answer, content } = await created;
      expect(answer.body.codigo).toBe('resultado_desconocido');
      expect([collection, await stored(content, collection)]).toEqual([collection, count]);
    }
  });
});

test('without a server creations are refused at once', async ({ startLossy, stores }) => {
  const { journal, loseServer } = await startLossy();
  await loseServer();
  const first = journal.create([newRecord()]); // may still be sent on a connection that seems to be there
  passTime(STORE_MS);
  await expect(first).rejects.toThrow();
  for (const count of [1, 20]) {
    const records = Array.from({ length: count }, () => newRecord());
    await expect(journal.create(records)).rejects.toSatisfy(isServerAway); // which clients read as 503
    const [{ creation = '' } = {}] = records;
    for (const collection of ['guides', 'creations']) {
      expect(await stores.mongo.collection(collection).countDocuments({ creation })).toBe(0);
    }
  }
});
