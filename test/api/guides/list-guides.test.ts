import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { GuideList, listGuides } from '#services/api/guides/guide-list.ts';
import { GuideStore } from '#services/api/guides/guide-store.ts';
import { encodeCursor } from '#services/api/http/list-parameters.ts';
import { GUIDE_STATUSES } from '#shared/guides/event-types.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { type Answer, Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
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
    return { account, client, numbers: records.map(({ _id }) => _id) };
  });

type Change = Partial<Pick<GuideDocument, 'createdAt' | 'status'>> & {
  destination?: string;
  reference?: string;
};

function newGuide(account: string, { destination = 'MTY01', reference, ...change }: Change): GuideDocument {
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
    [{ hasta: '2026-03-01' }, [1, 0]],
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

  const moment = 'debe ser una fecha que existe, YYYY-MM-DD o YYYY-MM-DDTHH:mm:ss, sin zona';
  const names = 'puede ser: desde, hasta, referencia, estatus, destino, limite, cursor';
  test.for([
    ['desde=2026-3-1', 'desde', moment],
    ['desde=2026-02-30', 'desde', moment],
    ['desde=2026-03-01T10:00:00Z', 'desde', moment],
    ['hasta=ayer', 'hasta', moment],
    [`referencia=${'x'.repeat(61)}`, 'referencia', 'admite texto de 1 a 60 caracteres'],
    ['estatus=cancelado', 'estatus', `debe ser uno de: ${GUIDE_STATUSES.join(', ')}`],
    ['limite=501', 'limite', 'debe ser un numero entero de 1 a 500'],
    ['limite=diez', 'limite', 'debe ser un numero entero de 1 a 500'],
    ['desde=2026-03-01&desde=2026-03-02', 'desde', 'debe ir una sola vez'],
    ['referencia[$ne]=x', 'referencia[$ne]', names, 'parametro_desconocido'],
    ['pagina=2', 'pagina', names, 'parametro_desconocido'],
    ['Referencia=x', 'Referencia', "¿quiso decir 'referencia'?", 'parametro_desconocido'],
    ['limit=5', 'limit', "¿quiso decir 'limite'?", 'parametro_desconocido'],
  ])(
    'refuses %s, and says what is allowed',
    async ([query, campo, regla, codigo = 'parametro_invalido'], { demo }) => {
      const { status, body } = await demo.get(`/api/guias?${query}`);
      expect([status, body.codigo]).toEqual([400, codigo]);
      expect(body.details).toEqual([{ campo, codigo, message: body.message, regla }]);
    },
  );
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

  describe('that leaves most guides out', () => {
    const start = Date.UTC(2026, 3, 1);
    /** Six thousand guides of many seconds, of which two are others. */
    const changes = Array.from({ length: 6_000 }, (_, i): Change => {
      const createdAt = new Date(start + Math.floor(i / 7) * 1_000).toISOString().slice(0, 19);
      const other = { destination: 'GDL01', status: i === 3 ? 'Incidencia' : 'Documentado' } as const;
      return { createdAt, status: 'Entregado', ...((i === 5_950 || i === 3) && other) };
    });

    test('finds each on the first page, and ends there', async ({ accountOf }) => {
      const { client, numbers } = await accountOf(...changes);
      expect(await walk(client, { estatus: 'Incidencia' })).toEqual([[numbers[3]]]);
      expect(await walk(client, { estatus: 'Documentado' })).toEqual([[numbers[5_950]]]);
      expect(await walk(client, { destino: 'GDL01' })).toEqual([[numbers[5_950], numbers[3]]]);
      expect(await walk(client, { destino: 'GDL01', limite: 1 })).toEqual([[numbers[5_950]], [numbers[3]]]);
      expect(await walk(client, { destino: 'MTY01', estatus: 'Incidencia' })).toEqual([[]]);
    });

    test('says how far it came, once its time is over', async ({ accountOf, stores }) => {
      const { account, numbers } = await accountOf(...changes);
      const guides = new GuideList(stores.mongo);
      const search = listGuides(guides, account, { destino: 'GDL01' });
      passTime(3_000);
      const page = await search;
      expect(page).toMatchObject({
        guides: [{ _id: numbers[5_950] }],
        searchedUntil: changes[5_000]?.createdAt,
      });
      const rest = await listGuides(guides, account, { destino: 'GDL01', cursor: page.cursor ?? '' });
      expect(rest).toEqual({ guides: [expect.objectContaining({ _id: numbers[3] })], cursor: null });
    });
  });

  test('of another account shows nothing of it', async ({ accountOf }) => {
    const theirs = await accountOf({}, {}, {});
    const mine = await accountOf({ createdAt: '2020-01-01T00:00:00' }, { createdAt: '2030-01-01T00:00:00' });
    const { siguiente } = (await list(theirs.client, { limite: 1 })).body;
    expect(siguiente).toEqual(expect.any(String));
    expect(numbersOf(await list(mine.client, { cursor: siguiente ?? '' }))).toEqual([mine.numbers[0]]);
  });

  const good = encodeCursor({ createdAt: '2026-04-01T00:00:00', _id: '390458235877' });
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
