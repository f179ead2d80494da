import { expect, vi } from 'vitest';
import { run as runCli } from '#services/api/cli.ts';
import { NewsSweep } from '#services/api/webhooks/news.ts';
import { webhooks as webhooksRoom } from '#services/api/webhooks/room.ts';
import { COD_LEDGER, type LedgerEntry } from '#shared/cod/ledger-model.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { type Fate, type MongoCommand, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import type { Receiver } from '#test/fixtures/receiver.ts';
import { listedIn, ownWebhook } from '#test/fixtures/topics.ts';
import { test as cod, numberIn } from './fixture.ts';

/** Each remittance that is made or annulled goes to the webhooks that ask for the topic, and to no other. */

vi.setConfig({ testTimeout: 180_000 });

type Told = { Liquidacion: string; Estado: string };

const test = cod
  .extend('running', { scope: 'file', auto: true }, ({ webhooks }) => webhooks)
  .extend(
    'webhook',
    ({ shop }) =>
      (Temas?: readonly string[]) =>
        ownWebhook(shop.client, Temas),
  )
  /** Has the api tell what was not told, which it does by itself every ten seconds (pickups/news.test.ts). */
  .extend('tellUntold', { scope: 'file' }, ({ api }) => {
    return () => finishCut(new NewsSweep(api.contextOf(webhooksRoom).topics));
  })
  /** The shop's entries that make a remittance or take one back. */
  .extend('remittancesIn', ({ shop, stores }) => async (filter: object = {}) => {
    const entries = stores.mongo.collection<LedgerEntry>(COD_LEDGER.name);
    return entries.find({ 'remittance.account': shop.name, ...filter }).toArray();
  });

const toldTo = (receiver: Receiver) =>
  listedIn<Told>(receiver, 'Liquidaciones').map(({ Liquidacion, Estado }) => `${Liquidacion} ${Estado}`);

test('what is made and what is annulled comes in its order, as the list shows it', async ({
  age,
  cobros,
  collect,
  demo,
  localTime,
  pay,
  remittancesIn,
  shop,
  webhook,
}) => {
  const asks = await webhook(['liquidaciones']);
  expect(asks.made).toMatchObject({ Temas: ['liquidaciones'] });
  const usual = await webhook();
  const foreign = await ownWebhook(demo, ['liquidaciones']);
  await collect(450.5);
  await age(60_000);
  const until = localTime(-30_000);
  const refused = numberIn((await pay(until)).out);
  await pay(until);
  await cobros('anular', refused);
  await cobros('anular', refused);
  const again = numberIn((await pay(until)).out);
  await expect
    .poll(() => toldTo(asks.receiver))
    .toEqual([`${refused} pagada`, `${refused} anulada`, `${again} pagada`]);
  const { body } = await shop.client.get('/api/liquidaciones');
  const [, annulled, last] = listedIn(asks.receiver, 'Liquidaciones');
  expect(body.data).toEqual([last, annulled]);
  const { received } = asks.receiver;
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  expect(new Set(received.map(({ body }) => JSON.parse(body).type))).toEqual(new Set(['liquidaciones']));
  expect(received.map(({ body }) => body).join()).not.toMatch(/ranges|balance/);
  const others = [...usual.receiver.received, ...foreign.receiver.received];
  expect(others.filter(({ body }) => body.includes('liquidaciones'))).toEqual([]);
  expect(await remittancesIn({ openSince: { $exists: true } })).toEqual([]);
});

test('what a process that died has told and not noted is told again, in its order', async ({
  age,
  cobros,
  collect,
  pay,
  shop,
  stores,
  tellUntold,
  webhook,
}) => {
  const { receiver } = await webhook(['liquidaciones']);
  await collect(10);
  await age(60_000);
  const number = numberIn((await pay()).out);
  await cobros('anular', number);
  const told = [`${number} pagada`, `${number} anulada`];
  await expect.poll(() => toldTo(receiver)).toEqual(told);
  const entries = stores.mongo.collection<LedgerEntry>(COD_LEDGER.name);
  await entries.updateMany({ 'remittance.account': shop.name }, { $set: { openSince: new Date() } });
  await tellUntold();
  await expect.poll(() => toldTo(receiver)).toEqual([...told, ...told]);
});

/** The writes of a payment, in their order. */
const WRITES = {
  remittance: ({ insert }) => insert === 'codLedger',
  message: ({ insert }) => insert === 'news',
  noted: ({ update }) => update === 'codLedger',
} as const satisfies Record<string, (command: MongoCommand) => boolean>;

const DEATHS = (Object.keys(WRITES) as (keyof typeof WRITES)[]).flatMap((write) =>
  (['never done', 'server lost'] as const satisfies Fate[]).map((fate) => [write, fate] as const),
);

test.for(DEATHS)(
  'a payment dies at its write of %s: %s, and webhooks are told of it once it is stored',
  async ([write, fate], {
    age,
    collect,
    localTime,
    pay,
    remittancesIn,
    shop,
    stores,
    tellUntold,
    webhook,
  }) => {
    const { receiver } = await webhook(['liquidaciones']);
    await collect(10);
    await age(60_000);
    const until = localTime(-30_000);
    let isDead = false;
    const proxy = await startMongoProxy(stores.mongoUri, (command) => {
      if (isDead || !WRITES[write](command)) return isDead ? 'never done' : 'done';
      isDead = true;
      return fate;
    });
    const env = { MONGODB_URI: proxy.uri, TIME_ZONE: 'America/Mexico_City', OPERATOR: 'ana' };
    const args = ['cobros', 'pagar', '--account', shop.name, '--hasta', until];
    await runCommand(runCli, args, { env });
    await proxy.close();
    const isStored = write !== 'remittance' || fate === 'server lost';
    expect(await remittancesIn()).toHaveLength(isStored ? 1 : 0);
    expect(await remittancesIn({ openSince: { $exists: true } })).toHaveLength(
      isStored && !(write === 'noted' && fate === 'server lost') ? 1 : 0,
    );
    const number = numberIn((await pay(until)).out);
    await tellUntold();
    expect(await remittancesIn({ openSince: { $exists: true } })).toEqual([]);
    await expect.poll(() => toldTo(receiver)).toContain(`${number} pagada`);
    expect(new Set(toldTo(receiver)).size).toBe(1);
  },
);
