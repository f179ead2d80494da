import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { GuideRecord } from '#services/api/guides/guide-model.ts';
import { GuideStore } from '#services/api/guides/guide-store.ts';
import { encodeCursor } from '#services/api/guides/list-guides.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { type Answer, Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `accountOf` makes an account of its own, with a user and guides that are stored as they are. */
const test = services
  .extend('store', { scope: 'file' }, ({ stores }) => new GuideStore(stores.mongo))
  .extend('accountOf', { scope: 'file' }, ({ api, store, stores }) => async (...changes: Change[]) => {
    const account = `cuenta-${randomUUID()}`;
    const users = stores.mongo.collection<{ _id: string }>('users');
    const demo = await users.findOne({ _id: 'demo' });
    await users.insertOne({ ...demo, _id: account, account } as never);
    const records = changes.map((change) => newGuide(account, change));
    if (records.length > 0) await store.insertAll(records);
    const client = await Client.login(api.url, account);
    return { account, client, numbers: records.map(({ number }) => number) };
  });

type Change = Partial<Pick<GuideRecord, 'createdAt' | 'status'>> & {
  destination?: string;
  reference?: string;
};

function newGuide(account: string, { destination = 'MTY01', reference, ...change }: Change): GuideRecord {
  const record = newRecord();
  return {
    ...record,
    ...change,
    username: account,
    account,
    destination: { code: destination, name: destination },
    guide: { ...record.guide, ...(reference !== undefined && { Referencia: reference }) },
  };
}

const list = async (client: Client, query: Record<string, string | number> = {}) => {
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return (await client.get(`/api/guias?${text.join('&')}`)) as Answer & {
    body: { siguiente?: string | null };
  };
};
const numbersOf = ({ body }: Answer) => (body.data as CreatedGuide[]).map(({ SEND_GUIA }) => SEND_GUIA);

/** Walks to the end, and calls `between` after each page. */
async function walk(client: Client, query: Record<string, string | number>, between = async () => {}) {
  const pages: string[][] = [];
  let cursor: string | null | undefined;
  do {
    const page = await list(client, { ...query, ...(cursor && { cursor }) });
    expect(page.status, page.body.message).toBe(200);
    pages.push(numbersOf(page));
    cursor = page.body.siguiente;
    await between();
  } while (cursor);
  return pages;
}

describe('GET /api/guias', () => {
  const day = (time: string) => ({ createdAt: `2026-03-${time}` });
  const guides: Change[] = [
    { ...day('01T00:00:00'), reference: 'uno' },
    { ...day('01T23:59:59'), reference: 'dos', destination: 'GDL01' },
    { ...day('02T00:00:00'), reference: 'uno', status: 'Cancelado' },
    { ...day('02T12:30:00') },
    { ...day('03T00:00:00'), destination: 'GDL01', status: 'Cancelado' },
  ];
  test.for<[Record<string, string>, number[]]>([
    [{}, [4, 3, 2, 1, 0]],
    [{ desde: '2026-03-02', hasta: '2026-03-02' }, [3, 2]],
    [{ desde: '2026-03-02T12:30:00' }, [4, 3]],
    [{ hasta: '2026-03-02T12:30:00' }, [2, 1, 0]],
    [{ desde: '2026-03-01T23:59:59', hasta: '2026-03-02T00:00:00' }, [1]],
    [{ desde: '2026-03-03', hasta: '2026-03-01' }, []],
    [{ referencia: 'uno' }, [2, 0]],
    [{ referencia: 'uno', hasta: '2026-03-01' }, [0]],
    [{ estatus: 'Cancelado' }, [4, 2]],
    [{ estatus: 'Documentado' }, [3, 1, 0]],
    [{ destino: 'GDL01' }, [4, 1]],
    [{ destino: ' gdl01' }, [4, 1]],
    [{ destino: 'GDL01', estatus: 'Documentado', referencia: 'dos' }, [1]],
  ])('%j finds guides %j', async ([query, expected], { accountOf }) => {
    const { client, numbers } = await accountOf(...guides);
    const wanted = expected.map((i) => numbers[i]);
    expect(numbersOf(await list(client, query))).toEqual(wanted);
    expect((await walk(client, { ...query, limite: 1 })).flat()).toEqual(wanted);
  });

  test.for([
    ['desde=2026-3-1', 'desde'],
    ['desde=2026-02-30', 'desde'],
    ['desde=2026-03-01T10:00:00Z', 'desde'],
    ['hasta=ayer', 'hasta'],
    [`referencia=${'x'.repeat(61)}`, 'referencia'],
    ['estatus=cancelado', 'estatus'],
    ['limite=501', 'limite'],
    ['desde=2026-03-01&desde=2026-03-02', 'desde'],
    ['referencia[$ne]=x', 'referencia[$ne]', 'parametro_desconocido'],
    ['pagina=2', 'pagina', 'parametro_desconocido'],
  ])('refuses %s', async ([query, campo, codigo = 'parametro_invalido'], { demo }) => {
    const { status, body } = await demo.get(`/api/guias?${query}`);
    expect([status, body.codigo, body.details]).toMatchObject([400, codigo, [{ campo }]]);
  });
});

describe('a walk by cursor', () => {
  test('sees every guide of its start once, whatever happens meanwhile', async ({ accountOf, store }) => {
    // Many of one second, as a batch has them, and pages that end within it.
    const changes = Array.from({ length: 60 }, (_, i) => ({
      createdAt: `2026-04-01T00:00:${String(Math.floor(i / 25)).padStart(2, '0')}`,
    }));
    const { account, client, numbers } = await accountOf(...changes);
    const pages = await walk(client, { limite: 7 }, async () => {
      await client.created(minimalGuide());
      await store.insert(newGuide(account, { createdAt: '2026-04-01T00:00:01' }));
      await client.post(`/api/guias/${numbers[30]}/cancelar`, '');
    });
    const seen = pages.flat();
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((number) => numbers.includes(number)).toSorted()).toEqual(numbers.toSorted());
  });

  test('has full pages, and a cursor on each but the last', async ({ accountOf }) => {
    const { client } = await accountOf(...Array.from({ length: 12 }, () => ({})));
    expect((await walk(client, { limite: 5 })).map((page) => page.length)).toEqual([5, 5, 2]);
    expect((await walk(client, { limite: 6 })).map((page) => page.length)).toEqual([6, 6]);
    expect((await walk(client, {})).map((page) => page.length)).toEqual([12]);
  });

  test('that leaves most guides out looks at a bounded number for each page', async ({ accountOf }) => {
    const start = Date.UTC(2026, 3, 1);
    const changes = Array.from({ length: 2_100 }, (_, i): Change => {
      const createdAt = new Date(start + i * 1_000).toISOString().slice(0, 19);
      return { createdAt, status: i === 2_050 || i === 3 ? 'Cancelado' : 'Documentado' };
    });
    const { client, numbers } = await accountOf(...changes);
    const pages = await walk(client, { estatus: 'Cancelado' });
    expect(pages.flat()).toEqual([numbers[2_050], numbers[3]]);
    expect(pages.length).toBe(3);
  });

  test('of another account shows nothing of it', async ({ accountOf }) => {
    const theirs = await accountOf({}, {}, {});
    const mine = await accountOf({ createdAt: '2020-01-01T00:00:00' }, { createdAt: '2030-01-01T00:00:00' });
    const { siguiente } = (await list(theirs.client, { limite: 1 })).body;
    expect(siguiente).toEqual(expect.any(String));
    expect(numbersOf(await list(mine.client, { cursor: siguiente ?? '' }))).toEqual([mine.numbers[0]]);
  });

  const good = encodeCursor({ createdAt: '2026-04-01T00:00:00', number: '390458235877' });
  const wrong = ['{"account":"otro"}', '2026-04-01T00:00:00$gt000000000'];
  const encoded = wrong.map((text) => Buffer.from(text).toString('base64url'));
  test.for(['', good.slice(0, -1), `${good}A`, ...encoded, 'x'.repeat(5_000)])(
    'refuses the cursor %j',
    async (cursor, { demo }) => {
      const { status, body } = await demo.get(`/api/guias?cursor=${encodeURI(cursor)}`);
      expect([status, body.details]).toMatchObject([
        400,
        [{ campo: 'cursor', codigo: 'parametro_invalido' }],
      ]);
    },
  );
});

describe('whose guides are listed', () => {
  test('those of the account by any of its users, and no others', async ({ api, demo }) => {
    const [guide] = await demo.created({ ...minimalGuide(), Referencia: 'de demo' });
    const found = async (user: string) =>
      numbersOf(await list(await Client.login(api.url, user), { referencia: 'de demo' }));
    expect(await found('demo2')).toEqual([guide?.SEND_GUIA]);
    for (const user of ['otro', 'lectura', 'operaciones']) expect(await found(user)).toEqual([]);
  });
});
