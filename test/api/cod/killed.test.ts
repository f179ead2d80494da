import { expect } from 'vitest';
import { run as runCli } from '#services/api/cli.ts';
import { tracking } from '#services/api/tracking/room.ts';
import { COD_COLLECTIONS, type Collected } from '#shared/cod/collection-model.ts';
import { COD_LEDGER, type LedgerEntry } from '#shared/cod/ledger-model.ts';
import { Client } from '#test/fixtures/client.ts';
import { event, wordsOf } from '#test/fixtures/events.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { type Fate, type MongoCommand, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as cod, collectedOf, paid } from './fixture.ts';

/** A process dies around each write by which money is registered, or the write is lost: no centavo is, and none is there twice. */

/** The writes of a registration, in their order. */
const WRITES = {
  events: ({ insert }) => insert === 'events',
  guides: ({ update }) => update === 'guides',
  movements: ({ insert }) => insert === 'codLedger',
  collected: ({ update }) => update === 'codCollections',
  end: ({ update }) => update === 'events',
} as const satisfies Record<string, (command: MongoCommand) => boolean>;
type Write = keyof typeof WRITES;

const test = cod
  /** An api that dies at its first such write. */
  .extend('mortal', ({ startApi, stores }) => async (write: Write, fate: Fate) => {
    const met = Promise.withResolvers<void>();
    let isDead = false;
    const proxy = await startMongoProxy(stores.mongoUri, (command) => {
      if (isDead || !WRITES[write](command)) return isDead ? 'never done' : 'done';
      isDead = true;
      met.resolve();
      return fate;
    });
    const { url, server } = await startApi({ MONGODB_URI: proxy.uri });
    const died = met.promise.then(async () => {
      // It is lost once the database has done the write.
      await (fate === 'server lost' ? proxy.closed : proxy.close());
      void server.close().catch(() => {}); // it still tries, and reaches nothing
    });
    return { url, died };
  })
  /** An api of which the next such write meets a fate. */
  .extend('lossy', { scope: 'file' }, async ({ startApi, stores }, { onCleanup }) => {
    const next: { write?: Write; fate: Fate } = { fate: 'done' };
    const proxy = await startMongoProxy(stores.mongoUri, (command) => {
      if (!next.write || !WRITES[next.write](command)) return 'done';
      delete next.write;
      return next.fate;
    });
    onCleanup(proxy.close);
    return { ...(await startApi({ MONGODB_URI: proxy.uri })), next };
  })
  .extend('moneyOf', { scope: 'file' }, ({ stores }) => async (guides: readonly string[]) => {
    const entries = await stores.mongo
      .collection<LedgerEntry>(COD_LEDGER.name)
      .find({ 'movement.guide': { $in: [...guides] } })
      .toArray();
    const collections = await stores.mongo
      .collection<Collected>(COD_COLLECTIONS.name)
      .find({ _id: { $in: [...guides] } })
      .toArray();
    const amounts = entries.map(({ movement }) => movement?.amount ?? 0);
    return {
      movements: amounts.toSorted((one, other) => one - other),
      collected: collections.map(({ collected }) => collected),
    };
  });

const told = (guides: readonly string[]) =>
  guides.flatMap((guide) => [
    paid(guide, 10, { Id: 'a' }),
    paid(guide, 20.5, { Id: 'b' }),
    event(guide, 'Anulacion', { Anula: 'a', Id: 'no-a' }),
  ]);
const WHOLE = { movements: [-1_000, -1_000, 1_000, 1_000, 2_050, 2_050], collected: [2_050, 2_050] };

const DEATHS = (Object.keys(WRITES) as Write[]).flatMap((write) =>
  (['never done', 'server lost'] as const).map((fate) => [write, fate] as const),
);

test.for(DEATHS)(
  'an api dies at its write of %s: %s',
  async ([write, fate], { api, demo, mortal, moneyOf, newCod, register, scanner }) => {
    const guides = [await newCod(30.5), await newCod(20.5)];
    const { porLiquidar: before } = await collectedOf(demo);
    const Eventos = told(guides);
    const { url, died } = await mortal(write, fate);
    new Client(url, scanner.token).post('/api/eventos', { Eventos }).catch(() => {});
    await died;
    await finishCut(api.contextOf(tracking).events);
    const words = wordsOf(await register(...Eventos));
    expect(words.filter((word) => !['registrado', 'repetido'].includes(word))).toEqual([]);
    expect(await moneyOf(guides)).toEqual(WHOLE);
    expect((await collectedOf(demo)).porLiquidar).toBe(before + 41);
  },
);

const LOSSES = (['movements', 'collected'] as const).flatMap((write) =>
  (['answer lost', 'never done', 'not primary', 'not replicated'] as const).map(
    (fate) => [write, fate] as const,
  ),
);

test.for([...LOSSES, ['movements', 'half done'] as const])(
  'its write of %s is lost: %s',
  async ([write, fate], { lossy, moneyOf, newCod, scanner }) => {
    const guides = [await newCod(30.5), await newCod(20.5)];
    Object.assign(lossy.next, { write, fate });
    const answer = await new Client(lossy.url, scanner.token).post('/api/eventos', { Eventos: told(guides) });
    expect(wordsOf(answer)).toEqual(Array(6).fill('registrado'));
    expect(lossy.next.write).toBeUndefined();
    expect(await moneyOf(guides)).toEqual(WHOLE);
  },
);

const PAYMENT_FATES: Fate[] = ['answer lost', 'never done', 'server lost', 'not primary', 'not replicated'];

test.for(PAYMENT_FATES)(
  'a payment whose write meets: %s, is made once',
  async (fate, { demo, localTime, newCod, register, stores }) => {
    await register(paid(await newCod(5), 5));
    const entries = stores.mongo.collection<LedgerEntry>(COD_LEDGER.name);
    for (const { _id, registered } of await entries.find({ _id: /^demo \d/ }).toArray())
      await entries.updateOne({ _id }, { $set: { registered: new Date(registered.getTime() - 3_600_000) } });
    const { porLiquidar: owed } = await collectedOf(demo);
    // Each later than the one before: a payment until the same moment is the same payment.
    const until = localTime(60_000 * (PAYMENT_FATES.indexOf(fate) - PAYMENT_FATES.length));
    const args = ['cobros', 'pagar', '--account', 'demo', '--hasta', until];
    let isMet = false;
    const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) => {
      if (isMet || insert !== 'codLedger') return 'done';
      isMet = true;
      return fate;
    });
    const env = { TIME_ZONE: 'America/Mexico_City', OPERATOR: 'ana' };
    await runCommand(runCli, args, { env: { ...env, MONGODB_URI: proxy.uri } });
    await proxy.close();
    expect(isMet).toBe(true);
    const { code, out } = await runCommand(runCli, args, { env: { ...env, MONGODB_URI: stores.mongoUri } });
    expect([code, out]).toEqual([0, expect.stringContaining(`demo,${owed.toFixed(2)},L`)]);
    expect((await collectedOf(demo)).porLiquidar).toBe(0);
    const { body } = await demo.get('/api/liquidaciones?limite=1');
    expect(body.data).toMatchObject([{ Importe: owed }]);
  },
);
