import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { manifestNumbers } from '#services/api/manifests/manifest-number.ts';
import { manifests as room } from '#services/api/manifests/room.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { type Answer, Client } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { listOf, manifestOf, test as manifests, newGuides } from '#test/fixtures/manifests.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

const DAY_MS = 24 * 3_600_000;

const test = manifests
  .extend('other', { scope: 'file' }, ({ api }) => Client.login(api.url, 'otro'))
  /** Moves guides of MEX01 to another branch, as if a user of that branch had created them. */
  .extend('moveTo', { scope: 'file' }, ({ stores }) => (numbers: string[], code: string) => {
    const guides = stores.mongo.collection<{ _id: string }>('guides');
    return guides.updateMany({ _id: { $in: numbers } }, { $set: { origin: { code, name: code } } });
  });
/** Asks for manifests of all that waits in GDL01, where at first nothing does. */
const inBranch = test.extend('gdl', { scope: 'file' }, async ({ other }) => {
  const ask = () => other.post('/api/manifiestos', {});
  await ask();
  return { ask, newGuides: (count: number) => newGuides(other, count) };
});
const outcome = ({ status, body }: Answer) => [status, body.codigo];
const problemsOf = ({ body }: Awaited<ReturnType<Client['post']>>) =>
  body.details?.map(({ indice, codigo }) => [indice, codigo]);
const meeting = test
  /** An api whose next insert into a collection waits until it is released. */
  .extend('held', { scope: 'file' }, async ({ startApi, stores }, { onCleanup }) => {
    let held: { collection: string; reach: () => void; fate: Promise<Fate> } | undefined;
    const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) => {
      if (insert !== held?.collection) return 'done';
      held?.reach();
      return held?.fate ?? 'done';
    });
    onCleanup(proxy.close);
    const client = await Client.login((await startApi({ MONGODB_URI: proxy.uri })).url);
    const insertOf = (collection: string) => {
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      const { promise: fate, resolve } = Promise.withResolvers<Fate>();
      held = { collection, reach, fate };
      return { reached, release: () => resolve('done') };
    };
    return { client, insertOf };
  })
  /** What became of a manifest of two guides, and of a cancellation of the first one meanwhile. */
  .extend(
    'outcomeOf',
    { scope: 'file' },
    ({ demo, make }) =>
      async (guides: readonly string[], made: Answer, cancelled: Answer) => {
        expect([cancelled.status, cancelled.body.data]).toMatchObject([200, { SEND_ESTATUS: 'Cancelado' }]);
        const { Manifiesto: named } = cancelled.body as { Manifiesto?: string };
        const { codigo: rest } = (await make(guides.slice(1))).body;
        if (made.status !== 200) return { made: problemsOf(made), named, rest };
        const { Manifiesto } = manifestOf(made);
        const { Canceladas, Detalle } = manifestOf(await demo.get(`/api/manifiestos/${Manifiesto}`));
        return {
          made: listOf(made).map((number) => guides.indexOf(number)),
          named: named && (named === Manifiesto || named),
          read: [Canceladas, ...Detalle.map(({ SEND_ESTATUS }) => SEND_ESTATUS)],
          rest,
        };
      },
  );

describe('a manifest', () => {
  test('has the guides that are named, in their order, with sums', async ({ demo, make }) => {
    const light = await newGuides(demo, 2, { Peso: 0.1, Paquetes: 3 });
    const [unweighed = ''] = await newGuides(demo, 1);
    const [first = '', second = ''] = light;
    const answer = await make([second, unweighed, first]);
    expect([answer.status, answer.body.message]).toEqual([200, 'Manifiesto creado']);
    expect(manifestOf(answer)).toEqual({
      Manifiesto: expect.stringMatching(/^M[1-9][0-9]{10}$/),
      Fecha: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      SEND_SUCU_ORIG: 'MEX01',
      ...{ Guias: 3, Paquetes: 7, Peso: 0.6 },
      Detalle: [
        listed(second, { Paquetes: 3, Peso: 0.3 }),
        listed(unweighed, { Paquetes: 1 }),
        listed(first, { Paquetes: 3, Peso: 0.3 }),
      ],
    });
    const { Manifiesto } = manifestOf(answer);
    expect(manifestNumbers.has(Manifiesto)).toBe(true);
    const wrongDigit = Manifiesto.slice(0, -1) + ((Number(Manifiesto.at(-1)) + 1) % 10);
    expect((await demo.get(`/api/manifiestos/${wrongDigit}`)).body.codigo).toBe('manifiesto_no_encontrado');
  });

  test('of 500 guides is one request, and no guide of it comes into another', async ({ demo, make }) => {
    const guides = await newGuides(demo, 500);
    const answer = await make(guides);
    expect(listOf(answer)).toEqual(guides);
    const [fresh = ''] = await newGuides(demo, 1);
    const again = await make([fresh, guides[7], guides[499]]);
    expect(again.status).toBe(409);
    expect(again.body.message).toContain(manifestOf(answer).Manifiesto);
    expect(problemsOf(again)).toEqual([
      [1, 'guia_en_manifiesto'],
      [2, 'guia_en_manifiesto'],
    ]);
    // Nothing of the refused one was kept.
    expect((await make([fresh])).status).toBe(200);
  });

  test('refuses each guide that does not belong in it, with its index', async ({
    demo,
    make,
    moveTo,
    register,
    newGuide,
  }) => {
    const [mine = '', elsewhere = '', moving = ''] = await newGuides(demo, 3);
    await moveTo([elsewhere], 'GDL01');
    await register(event(moving, 'EnTransito'));
    const cancelled = await newGuide();
    await demo.post(`/api/guias/${cancelled}/cancelar`, '');
    const answer = await make([mine, cancelled, moving, elsewhere, mine]);
    expect([answer.status, answer.body.codigo]).toEqual([409, 'guia_cancelada']);
    expect(problemsOf(answer)).toEqual([
      [1, 'guia_cancelada'],
      [2, 'guia_en_camino'],
      [3, 'guia_de_otra_sucursal'],
      [4, 'guia_repetida'],
    ]);
    expect(answer.body.details?.[2]?.message).toMatch(/GDL01.*MEX01/);
    expect((await make([mine])).status).toBe(200);
  });

  test('takes a guide that was scanned at the counter a moment before', async ({
    make,
    register,
    newGuide,
  }) => {
    const guide = await newGuide();
    await register(event(guide, 'Recolectado'));
    expect((await make([guide])).status).toBe(200);
  });

  test('is of its account alone', async ({ api, demo, make, newGuide, other, stores }) => {
    const guide = await newGuide();
    const theirs = await other.post('/api/manifiestos', { Guias: [guide, 'nada'] });
    expect([theirs.status, problemsOf(theirs)]).toEqual([
      404,
      [
        [0, 'guia_no_encontrada'],
        [1, 'guia_no_encontrada'],
      ],
    ]);
    const { Manifiesto } = manifestOf(await make([guide]));
    // One who may read every guide hands none of another account over.
    await new UserStore(stores.mongo, { allowDemo: true }).grant('operaciones', ['guias.create']);
    const all = await Client.login(api.url, 'operaciones');
    expect(outcome(await all.post('/api/manifiestos', { Guias: [await newGuide()] }))).toEqual([
      404,
      'guia_no_encontrada',
    ]);
    for (const client of [other, all]) {
      for (const path of ['', '/pdf']) {
        const { status, body } = await client.get(`/api/manifiestos/${Manifiesto}${path}`);
        expect([status, body.codigo]).toEqual([404, 'manifiesto_no_encontrado']);
      }
      expect(JSON.stringify((await client.get('/api/manifiestos')).body)).not.toContain(Manifiesto);
    }
    expect((await demo.get(`/api/manifiestos/${Manifiesto}`)).status).toBe(200);
  });

  test('says nothing of a guide that has moved to another account', async ({ demo, make, stores }) => {
    const [stays = '', moves = ''] = await newGuides(demo, 2);
    const { Manifiesto } = manifestOf(await make([stays, moves]));
    const guides = stores.mongo.collection<{ _id: string }>('guides');
    await guides.updateOne({ _id: moves }, { $set: { account: 'ajena' } });
    const { Detalle } = manifestOf(await demo.get(`/api/manifiestos/${Manifiesto}`));
    expect(Detalle.map(({ SEND_ESTATUS }) => SEND_ESTATUS)).toEqual(['Documentado', undefined]);
  });

  test('says which of its guides were cancelled since, and the cancellation names it', async ({
    demo,
    make,
    newGuide,
  }) => {
    const guides = [await newGuide(), await newGuide()];
    const made = manifestOf(await make(guides));
    const cancelled = (await demo.post(`/api/guias/${guides[1]}/cancelar`, '')).body;
    expect(cancelled).toMatchObject({ message: 'Guia cancelada', Manifiesto: made.Manifiesto });
    const read = manifestOf(await demo.get(`/api/manifiestos/${made.Manifiesto}`));
    expect(read).toEqual({
      ...made,
      Canceladas: 1,
      Detalle: [
        { ...made.Detalle[0], SEND_ESTATUS: 'Documentado' },
        { ...made.Detalle[1], SEND_ESTATUS: 'Cancelado' },
      ],
    });
    const loose = await newGuide();
    const alone = (await demo.post(`/api/guias/${loose}/cancelar`, '')).body;
    expect(alone).not.toHaveProperty('Manifiesto');
  });

  test('has no name of a person', async ({ make, newGuide, stores }) => {
    const { Manifiesto } = manifestOf(await make([await newGuide()]));
    const stored = await stores.mongo.collection<{ _id: string }>('manifests').findOne({ _id: Manifiesto });
    expect(JSON.stringify(stored)).not.toMatch(/Ana Lopez|Luis Perez|06600/);
  });
});

describe('a manifest of all that waits', () => {
  inBranch(
    'has the guides of the branch that nobody scanned and that are in no other',
    async ({ gdl, other, register, moveTo }) => {
      const [first = '', scanned = '', cancelled = '', named = '', elsewhere = '', last = ''] =
        await gdl.newGuides(6);
      await register(event(scanned, 'Recolectado'));
      await other.post(`/api/guias/${cancelled}/cancelar`, '');
      await other.post('/api/manifiestos', { Guias: [named] });
      await moveTo([elsewhere], 'PUE01');
      const answer = await gdl.ask();
      expect(listOf(answer).toSorted()).toEqual([first, last].toSorted());
      expect(manifestOf(answer)).not.toHaveProperty('QuedanGuias');
      const none = await gdl.ask();
      expect([none.status, none.body.codigo]).toEqual([409, 'sin_guias_por_entregar']);
    },
  );

  inBranch('takes the oldest 500, and says that others wait', async ({ gdl, stores }) => {
    const guides = stores.mongo.collection<{ _id: string; createdAt: string }>('guides');
    const [newest = '', ...rest] = await gdl.newGuides(500);
    const [second = ''] = await gdl.newGuides(1);
    await guides.updateOne({ _id: newest }, { $set: { createdAt: '2999-01-01T00:00:00' } });
    const answer = await gdl.ask();
    expect(manifestOf(answer)).toMatchObject({ Guias: 500, QuedanGuias: true });
    expect(listOf(answer).toSorted()).toEqual([...rest, second].toSorted());
    expect(listOf(await gdl.ask())).toEqual([newest]);
  });

  inBranch('has what was found in time, and says that others may wait', async ({ gdl, startApi, stores }) => {
    const waiting = await gdl.newGuides(2);
    const proxy = await startMongoProxy(stores.mongoUri, ({ find }) => {
      if (find === 'manifests') passTime(3_000);
      return 'done';
    });
    onTestFinished(proxy.close);
    const slow = await Client.login((await startApi({ MONGODB_URI: proxy.uri })).url, 'otro');
    const answer = await slow.post('/api/manifiestos', {});
    expect(manifestOf(answer)).toMatchObject({ QuedanGuias: true });
    expect(listOf(answer).toSorted()).toEqual(waiting.toSorted());
  });

  inBranch(
    'leaves out what is older than seven days, which its number brings in',
    async ({ gdl, other, stores }) => {
      const [old = '', young = ''] = await gdl.newGuides(2);
      const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 19);
      const guides = stores.mongo.collection<{ _id: string }>('guides');
      await guides.updateOne({ _id: old }, { $set: { createdAt: daysAgo(8) } });
      await guides.updateOne({ _id: young }, { $set: { createdAt: daysAgo(6) } });
      expect(listOf(await gdl.ask())).toEqual([young]);
      expect(listOf(await other.post('/api/manifiestos', { Guias: [old] }))).toEqual([old]);
    },
  );

  inBranch('gives concurrent requests different guides', async ({ gdl }) => {
    const guides = await gdl.newGuides(20);
    const answers = await Promise.all(Array.from({ length: 6 }, () => gdl.ask()));
    const made = answers.filter(({ status }) => status === 200);
    expect(made.flatMap(listOf).toSorted()).toEqual(guides.toSorted());
  });

  test('is refused to a user without a branch', async ({ api }) => {
    const client = await Client.login(api.url, 'sinorigen');
    const { status, body } = await client.post('/api/manifiestos', {});
    expect([status, body.codigo]).toEqual([400, 'origen_no_asignado']);
  });
});

describe('an Idempotency-Key of a manifest', () => {
  test('gives the same answer again, also concurrently and after a cancellation', async ({
    demo,
    make,
    newGuide,
  }) => {
    const key = randomUUID();
    const guides = [await newGuide(), await newGuide()];
    const answers = await Promise.all(Array.from({ length: 8 }, () => make(guides, key)));
    await demo.post(`/api/guias/${guides[0]}/cancelar`, '');
    const last = await make(guides, key);
    for (const { status, body } of [...answers, last]) {
      expect(status).toBe(200);
      expect(body).toEqual(last.body);
    }
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    expect(last.headers.get('idempotent-replayed')).toBe('true');
    const other = await make([await newGuide()], key);
    expect([other.status, other.body.codigo]).toEqual([409, 'idempotencia_conflicto']);
  });

  test('of a manifest of all that waits names that manifest, whatever waits later', async ({
    make,
    newGuide,
  }) => {
    const key = randomUUID();
    await newGuide();
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => make(undefined, key)));
    await newGuide();
    for (const answer of [...others, await make(undefined, key)]) {
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(first?.body);
    }
  });

  test.for([['of named guides'], ['of all that waits']])(
    '%s holds for a request that came before the other had committed',
    async ([kind], { api: { contextOf }, demo, make, newGuide }) => {
      const key = randomUUID();
      const guides = [await newGuide()];
      const ask = () => make(kind === 'of named guides' ? guides : undefined, key);
      const first = await ask();
      // What is done with the guides since then refuses only another request.
      await demo.post(`/api/guias/${guides[0]}/cancelar`, '');
      const find = vi.spyOn(contextOf(room).manifests, 'findByKey').mockResolvedValueOnce(undefined);
      const second = await ask();
      find.mockRestore();
      expect([second.status, second.body]).toEqual([200, first.body]);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
    },
  );

  test('names another manifest after seven days, and a creation of guides at any time', async ({
    demo,
    make,
    newGuide,
    stores,
  }) => {
    const key = randomUUID();
    const { Manifiesto } = manifestOf(await make([await newGuide()], key));
    const creation = { TipoServicio: 'Domicilio', Guia: [{}] };
    const { body } = await demo.post('/api/guias/crear', creation, { 'idempotency-key': key });
    expect(body.codigo).not.toBe('idempotencia_conflicto');
    await stores.mongo
      .collection<{ _id: string }>('manifests')
      .updateOne({ _id: Manifiesto }, { $set: { createdUtc: new Date(Date.now() - 7 * DAY_MS - 60_000) } });
    const later = await make([await newGuide()], key);
    expect(later.status).toBe(200);
    expect(manifestOf(later).Manifiesto).not.toBe(Manifiesto);
    expect(later.headers.has('idempotent-replayed')).toBe(false);
  });
});

/** Of inserts that meet in a unique index, DocumentDB takes back one a second. */
describe('manifests that meet', () => {
  const codesOf = (answers: Awaited<ReturnType<Client['post']>>[]) =>
    answers.map(({ status, body }) => (status === 200 ? 200 : body.codigo)).toSorted();

  test('with one key are one, in each of eight pairs', async ({ demo, make }) => {
    for (let pair = 0; pair < 8; pair++) {
      const guides = await newGuides(demo, 100);
      const key = randomUUID();
      const answers = await Promise.all([make(guides, key), make(guides, key)]);
      expect(codesOf(answers)).toEqual([200, 200]);
      expect(answers[1]?.body).toEqual(answers[0]?.body);
    }
  });

  test('without a key are one of eight, and the others name it', async ({ demo, make }) => {
    const guides = await newGuides(demo, 3);
    const answers = await Promise.all(Array.from({ length: 8 }, () => make(guides)));
    expect(codesOf(answers)).toEqual([200, ...Array(7).fill('guia_en_manifiesto')]);
  });

  test('in one guide of each leave it in one of six', async ({ demo, make }) => {
    const [shared, ...own] = await newGuides(demo, 7);
    const answers = await Promise.all(own.map((guide) => make([guide, shared])));
    expect(codesOf(answers)).toEqual([200, ...Array(5).fill('guia_en_manifiesto')]);
  });

  test('in 500 guides, half of them in reverse order, at the same moment at three apis, are one of three', async ({
    demo,
    startApi,
    stores,
  }) => {
    const guides = await newGuides(demo, 500);
    const { promise: met, resolve: meet } = Promise.withResolvers<Fate>();
    let arrived = 0;
    const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) => {
      if (insert === 'manifests' && ++arrived === 3) meet('done');
      return insert === 'manifests' ? met : 'done';
    });
    onTestFinished(proxy.close);
    const apis = Array.from({ length: 3 }, () => startApi({ MONGODB_URI: proxy.uri }));
    const clients = await Promise.all(apis.map(async (api) => Client.login((await api).url)));
    const answers = await Promise.all(
      clients.map((client, i) =>
        client.post('/api/manifiestos', { Guias: i % 2 === 0 ? guides : guides.toReversed() }),
      ),
    );
    expect(codesOf(answers)).toEqual([200, ...Array(2).fill('guia_en_manifiesto')]);
  });
});

/** Whichever is first, the manifest's list, both answers and the states of its guides agree. */
describe('a manifest and a cancellation that meet', () => {
  const REFUSED = {
    made: [[0, 'guia_cancelada']],
    ...{ named: undefined, rest: undefined },
  };
  const LISTED = {
    ...{ made: [0, 1], named: true },
    ...{ read: [1, 'Cancelado', 'Documentado'], rest: 'guia_en_manifiesto' },
  };
  /** Cancelled while the manifest was being stored. */
  const UNNAMED = { ...LISTED, named: undefined };

  meeting('agree in each of forty pairs', async ({ demo, make, outcomeOf }) => {
    const numbers = await newGuides(demo, 80);
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, async (_, pair) => {
        const guides = numbers.slice(2 * pair, 2 * pair + 2);
        const cancelling = demo.post(`/api/guias/${guides[0]}/cancelar`, '');
        return outcomeOf(guides, await make(guides), await cancelling);
      }),
    );
    for (const outcome of outcomes) expect([REFUSED, LISTED, UNNAMED]).toContainEqual(outcome);
  });

  meeting(
    'agree where the manifest is made before the cancellation is stored',
    async ({ demo, held, make, outcomeOf }) => {
      const guides = await newGuides(demo, 2);
      const { reached, release } = held.insertOf('events');
      const cancelling = held.client.post(`/api/guias/${guides[0]}/cancelar`, '');
      await reached;
      const made = await make(guides);
      release();
      expect(await outcomeOf(guides, made, await cancelling)).toEqual(LISTED);
    },
  );

  meeting(
    'agree where the cancellation is answered before the manifest is stored',
    async ({ demo, held, outcomeOf }) => {
      const guides = await newGuides(demo, 2);
      const { reached, release } = held.insertOf('manifests');
      const making = held.client.post('/api/manifiestos', { Guias: guides });
      await reached;
      const cancelled = await demo.post(`/api/guias/${guides[0]}/cancelar`, '');
      release();
      expect(await outcomeOf(guides, await making, cancelled)).toEqual(UNNAMED);
    },
  );
});

describe('the list of manifests', () => {
  test('has those of the account, newest first, page by page and by time', async ({ api, stores }) => {
    const client = await Client.login(api.url, 'otro');
    const made: string[] = [];
    for (const day of [1, 2, 2, 3]) {
      const answer = await client.post('/api/manifiestos', { Guias: await newGuides(client, 1) });
      const { Manifiesto } = manifestOf(answer);
      await stores.mongo
        .collection<{ _id: string }>('manifests')
        .updateOne({ _id: Manifiesto }, { $set: { createdAt: `2031-05-0${day}T12:00:00` } });
      made.unshift(Manifiesto);
    }
    // The first page ends between two of one second, whose order is that of their numbers.
    const [last = '', one = '', other = '', first = ''] = made;
    const ofOneSecond = [one, other].toSorted().toReversed();
    const walked: string[] = [];
    const sizes: number[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await client.get(`/api/manifiestos?desde=2031-01-01&limite=2${cursor}`);
      const page = body.data as { Manifiesto: string }[];
      walked.push(...page.map(({ Manifiesto }) => Manifiesto));
      sizes.push(page.length);
      const { siguiente } = body as { siguiente: string | null };
      if (siguiente === null) break;
      cursor = `&cursor=${siguiente}`;
    }
    expect(walked).toEqual([last, ...ofOneSecond, first]);
    // No empty page follows a last one that is full.
    expect(sizes).toEqual([2, 2]);
    const { body } = await client.get('/api/manifiestos?desde=2031-05-02&hasta=2031-05-02');
    expect(body).toMatchObject({
      message: 'Manifiestos: 2',
      data: ofOneSecond.map((Manifiesto) => ({ Manifiesto, Guias: 1 })),
    });
    for (const query of ['cursor=x', 'desde=ayer', 'hasta=2031-02-30', 'limite=501']) {
      expect((await client.get(`/api/manifiestos?${query}`)).body.codigo).toBe('parametro_invalido');
    }
  });
});

describe('of a test account', () => {
  test('a manifest says so, begins with 0, and goes with its first guide', async ({ api, stores }) => {
    const tester = await Client.login(api.url, 'prueba');
    const [younger = '', older = ''] = await newGuides(tester, 2);
    const collection = stores.mongo.collection<{ _id: string; expiresAt: Date }>('guides');
    const first = await collection.findOne({ _id: younger });
    const earlier = new Date((first?.expiresAt.getTime() ?? 0) - 3 * DAY_MS);
    await collection.updateOne({ _id: older }, { $set: { expiresAt: earlier } });
    const made = manifestOf(await tester.post('/api/manifiestos', {}));
    expect(made).toMatchObject({ Manifiesto: expect.stringMatching(/^M0/), Prueba: true, Guias: 2 });
    const stored = await stores.mongo
      .collection<{ _id: string; expiresAt: Date }>('manifests')
      .findOne({ _id: made.Manifiesto });
    expect(stored?.expiresAt).toEqual(earlier);
  });
});

describe('the body of a manifest', () => {
  test.for<[string, unknown, string, string?]>([
    ['an array', [], 'guia_array_faltante'],
    ['a text for the array', { Guias: '1' }, 'guia_array_faltante'],
    ['an empty array', { Guias: [] }, 'guia_array_vacio'],
    ['501 guides', { Guias: Array(501).fill('1') }, 'guia_array_largo'],
    ['a number for a guide', { Guias: ['1', 7] }, 'campo_tipo'],
    ["a misspelt field, which must not mean 'all'", { Guia: ['1'] }, 'campo_desconocido'],
  ])('may not have %s', async ([, body, codigo], { demo }) => {
    const answer = await demo.post('/api/manifiestos', body);
    expect([answer.status, answer.body.codigo]).toEqual([400, codigo]);
  });
});

function listed(SEND_GUIA: string, goods: object) {
  return { SEND_GUIA, TipoServicio: 'Domicilio', SEND_SUCU_DEST: 'MEX01', ...goods };
}
