import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { type Answer, Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { test as services } from '#test/fixtures/services.ts';

/** Says what becomes of the next writes to these collections; of all others, and afterwards, nothing special. */
type Script = { collection: 'guides' | 'creations'; fates: Fate[] };

const UNKNOWN = 'No se sabe si las guias se crearon; consulte sus guias antes de repetir';
const UNAVAILABLE = 'Servicio no disponible, intente de nuevo';
/** More than the attempts of ten seconds, and those that are still under way after the answer. */
const ALWAYS = 1_000;

const test = services
  .extend('lossy', async ({ startApi, stores }, { onCleanup }) => {
    const script: Script = { collection: 'guides', fates: [] };
    const proxy = await startMongoProxy(
      stores.mongoUri,
      ({ insert }) => (insert === script.collection && script.fates.shift()) || 'done',
    );
    onCleanup(() => proxy.close());
    const { url } = await startApi({ MONGODB_URI: proxy.uri });
    const client = await Client.login(url);
    /** Creates guides with a content of their own while writes meet these fates. */
    return async (count: number, collection: Script['collection'], fates: Fate[]) => {
      const content = randomUUID();
      const guides = Array.from({ length: count }, () => ({
        ...minimalGuide(),
        Producto: { Contenido: content },
      }));
      await client.get('/api/sucursales'); // its user is known, so that only writes meet the fates
      Object.assign(script, { collection, fates: [...fates] });
      return { answer: await client.create(guides), content, client };
    };
  })
  .extend(
    'stored',
    { scope: 'file' },
    ({ stores }) =>
      (content: string) =>
        stores.mongo.collection('guides').countDocuments({ 'guide.Producto.Contenido': content }),
  )
  /** How many of a creation's guides a label is to be had of; the number of each is in the database. */
  .extend('readable', { scope: 'file' }, ({ stores }) => async (content: string, client: Client) => {
    const guides = await stores.mongo
      .collection<{ _id: string }>('guides')
      .find({ 'guide.Producto.Contenido': content })
      .toArray();
    // A label's own ETag is 304, so that nothing need be printed; of an unknown guide it is 404.
    const answers = guides.map(({ _id }) =>
      client.get(`/api/guias/etiqueta/${_id}`, { 'if-none-match': '*' }),
    );
    return (await Promise.all(answers)).filter(({ status }) => status === 304).length;
  });

const numbers = ({ body }: Answer) => (body.data as CreatedGuide[]).map(({ SEND_GUIA }) => SEND_GUIA);

describe('where the answer to a write is lost', () => {
  test.for([
    [1, 'guides', 'answer lost'],
    [1, 'guides', 'never done'],
    [1, 'guides', 'not primary'],
    [20, 'guides', 'answer lost'],
    [20, 'creations', 'answer lost'],
    [500, 'guides', 'answer lost'],
    [500, 'guides', 'never done'],
    [500, 'guides', 'not primary'],
    [500, 'creations', 'answer lost'],
    [500, 'creations', 'never done'],
    [1, 'guides', 'not replicated'],
    [20, 'guides', 'not replicated'],
    [20, 'creations', 'not replicated'],
  ] as const)(
    'a creation of %i is finished: insert into %s, %s',
    async ([count, collection, fate], { lossy, stored, readable }) => {
      const { answer, content, client } = await lossy(count, collection, [fate]);
      expect(answer.status).toBe(200);
      expect(new Set(numbers(answer)).size).toBe(count);
      expect(await stored(content)).toBe(count);
      expect(await readable(content, client)).toBe(count);
    },
  );

  test('many customers whose guides were one write each get their own', async ({ lossy, stored }) => {
    const { client } = await lossy(1, 'guides', []);
    const contents = Array.from({ length: 24 }, () => randomUUID());
    const create = (content: string) =>
      client.create([{ ...minimalGuide(), Producto: { Contenido: content } }]);
    const lost = lossy(1, 'guides', ['answer lost', 'answer lost', 'never done']);
    const answers = await Promise.all(contents.map(create));
    expect((await lost).answer.status).toBe(200);
    expect(answers.map(({ status }) => status)).toEqual(contents.map(() => 200));
    expect(await Promise.all(contents.map(stored))).toEqual(contents.map(() => 1));
  });
});

describe('where no answer comes in ten seconds', () => {
  test.for([
    [1, 'guides', 'answer lost', 1],
    [1, 'guides', 'never done', 0],
    [20, 'creations', 'answer lost', 20],
    [20, 'creations', 'never done', 0],
  ] as const)(
    'a creation of %i is of unknown result: insert into %s, %s',
    async ([count, collection, fate, there], { lossy, readable }) => {
      const { answer, content, client } = await lossy(count, collection, Array<Fate>(ALWAYS).fill(fate));
      expect(answer.status).toBe(503);
      expect(answer.body).toMatchObject({ message: UNKNOWN, codigo: 'resultado_desconocido' });
      expect(answer.headers.has('retry-after')).toBe(false);
      expect(await readable(content, client)).toBe(there);
    },
  );

  test.for([
    [1, 'guides'],
    [20, 'creations'],
  ] as const)(
    'a creation of %i is of unknown result: insert into %s, then no server is left',
    async ([count, collection], { lossy, stored }) => {
      const { answer, content } = await lossy(count, collection, ['server lost']);
      expect(answer.body).toMatchObject({ message: UNKNOWN, codigo: 'resultado_desconocido' });
      expect(await stored(content)).toBe(count);
    },
  );

  test.for(['answer lost', 'never done'] as const)(
    'none of several guides is stored that were not committed: %s',
    async (fate, { lossy, readable }) => {
      const { answer, content, client } = await lossy(20, 'guides', Array<Fate>(ALWAYS).fill(fate));
      expect(answer.status).toBe(503);
      expect(answer.body.message).toBe(UNAVAILABLE);
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(await readable(content, client)).toBe(0);
    },
  );
});
