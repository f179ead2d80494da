import { expect } from 'vitest';
import { guides as guidesRoom } from '#services/api/guides/room.ts';
import { cancelUnscanned } from '#services/api/returns/cancel-unscanned.ts';
import { returns as room } from '#services/api/returns/room.ts';
import { tracking } from '#services/api/tracking/room.ts';
import { RETURNS } from '#shared/returns/return-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { type Answer, Client } from '#test/fixtures/client.ts';
import { event, test as events } from '#test/fixtures/events.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { type Fate, type MongoCommand, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { newAddress } from '#test/fixtures/page-visits.ts';

/** A process dies around each write of a return, its link or its end, or the write is lost: nothing of it is, and nothing is there twice. */

type Guide = Record<string, unknown> & { SEND_GUIA: string };
const guideOf = ({ body }: Answer) => body.data as Guide;

const namesReturn = ({ updates }: MongoCommand) => JSON.stringify(updates).includes('facts.Devolucion');
const CREATION = {
  commit: ({ insert }) => insert === 'creations',
  guide: ({ insert }) => insert === 'guides',
  return: ({ update }) => update === 'returns',
  original: (command) => command.update === 'guides' && namesReturn(command),
  end: ({ update }) => update === 'creations',
} as const satisfies Record<string, (command: MongoCommand) => boolean>;
const ENDING = {
  event: ({ insert }) => insert === 'events',
  status: (command) => command.update === 'guides' && !namesReturn(command),
  original: (command) => command.update === 'guides' && namesReturn(command),
  return: ({ update }) => update === 'returns',
  end: ({ update }) => update === 'events',
} as const satisfies Record<string, (command: MongoCommand) => boolean>;
type Write = (command: MongoCommand) => boolean;

const DEATHS = ['never done', 'server lost'] as const satisfies Fate[];
const LOSSES = ['answer lost', 'never done', 'not primary', 'not replicated'] as const satisfies Fate[];
const each = <W extends string, F>(writes: Record<W, unknown>, fates: readonly F[]) =>
  (Object.keys(writes) as W[]).flatMap((write) => fates.map((fate) => [write, fate] as const));

const test = events
  .extend('settings', { TRUST_PROXY: '1' })
  /** An api that dies at its first such write. */
  .extend('mortal', ({ startApi, stores }) => async (write: Write, fate: Fate) => {
    const met = Promise.withResolvers<void>();
    let isDead = false;
    const proxy = await startMongoProxy(stores.mongoUri, (command) => {
      if (isDead || !write(command)) return isDead ? 'never done' : 'done';
      isDead = true;
      met.resolve();
      return fate;
    });
    const started = await startApi({ MONGODB_URI: proxy.uri });
    const died = met.promise.then(async () => {
      // A server that is lost after a write has done it first.
      await (fate === 'server lost' ? proxy.closed : proxy.close());
      void started.server.close().catch(() => {}); // it still tries, and reaches nothing
    });
    return { ...started, died };
  })
  /** An api of which the next such write meets a fate. */
  .extend('lossy', { scope: 'file' }, async ({ startApi, stores, demo }, { onCleanup }) => {
    const next: { write?: Write; fate: Fate } = { fate: 'done' };
    const proxy = await startMongoProxy(stores.mongoUri, (command) => {
      if (!next.write?.(command)) return 'done';
      delete next.write;
      return next.fate;
    });
    onCleanup(proxy.close);
    const { url } = await startApi({ MONGODB_URI: proxy.uri });
    return { client: new Client(url, demo.token), next };
  })
  .extend('newReturn', { scope: 'file' }, ({ demo, newGuide }) => async () => {
    const number = await newGuide();
    const { SEND_GUIA } = guideOf(await demo.post(`/api/guias/${number}/devolucion`, { Anticipada: true }));
    return { number, back: SEND_GUIA };
  })
  /** What the database has of a guide's returns, and whether both guides name each other. */
  .extend('returnsOf', { scope: 'file' }, ({ stores, demo }) => async (number: string) => {
    const made = await modelOf(stores.mongo, RETURNS).find({ of: number }).lean();
    const count = await stores.mongo.collection('guides').countDocuments({ 'facts.DevolucionDe': number });
    const { Devolucion } = guideOf(await demo.get(`/api/guias/${number}`));
    return { count, rows: made.map(({ _id }) => _id), named: Devolucion };
  })
  .extend('isOpen', { scope: 'file' }, ({ api }) => async ({ body }: Answer) => {
    const { pathname } = new URL((body.data as { Enlace: string }).Enlace);
    return (await fetch(api.url + pathname, { headers: { 'x-forwarded-for': newAddress() } })).ok;
  })
  .extend('cancellations', { scope: 'file' }, ({ stores }) => (number: string) => {
    return stores.mongo
      .collection<LogEntry>('events')
      .countDocuments({ 'told.Guia': number, 'told.Tipo': 'Cancelacion' });
  });

const asked = (client: Client, number: string) =>
  client.post(`/api/guias/${number}/devolucion`, {}, { 'idempotency-key': `devolucion-${number}` });

test.for(each(CREATION, DEATHS))(
  'an api dies at the write of a new return, %s: %s',
  async ([write, fate], { api, demo, mortal, newGuide, register, returnsOf }) => {
    const number = await newGuide();
    await register(event(number, 'Entregado'));
    const { url, died } = await mortal(CREATION[write], fate);
    asked(new Client(url, demo.token), number).catch(() => {});
    await died;
    await finishCut(api.contextOf(guidesRoom).journal);
    const isCommitted = write !== 'commit' || fate === 'server lost';
    const { rows } = await returnsOf(number);
    expect(await returnsOf(number)).toEqual({ count: isCommitted ? 1 : 0, rows, named: rows[0] });
    const back = guideOf(await asked(demo, number));
    expect(back).toMatchObject({ DevolucionDe: number });
    expect(rows).toEqual(isCommitted ? [back.SEND_GUIA] : []);
    expect(await returnsOf(number)).toEqual({ count: 1, rows: [back.SEND_GUIA], named: back.SEND_GUIA });
  },
);

test.for(each(CREATION, LOSSES))(
  'the write of a new return is lost, %s: %s',
  async ([write, fate], { lossy, newGuide, register, returnsOf }) => {
    const number = await newGuide();
    await register(event(number, 'Entregado'));
    Object.assign(lossy.next, { write: CREATION[write], fate });
    const { SEND_GUIA } = guideOf(await asked(lossy.client, number));
    expect(await returnsOf(number)).toEqual({ count: 1, rows: [SEND_GUIA], named: SEND_GUIA });
  },
);

const LINK = `/devolucion/enlace`;
const isOfReturns: Write = ({ update }) => update === 'returns';

test.for(DEATHS)(
  'an api dies at the write of a link: %s',
  async (fate, { demo, isOpen, mortal, newReturn }) => {
    const { number } = await newReturn();
    const before = await demo.post(`/api/guias/${number}${LINK}`, '');
    const { url, died } = await mortal(isOfReturns, fate);
    new Client(url, demo.token).post(`/api/guias/${number}${LINK}`, '').catch(() => {});
    await died;
    // Nobody has the new one; the one before has ended with it, or not at all.
    expect(await isOpen(before)).toBe(fate === 'never done');
    expect(await isOpen(await demo.post(`/api/guias/${number}${LINK}`, ''))).toBe(true);
    expect(await isOpen(before)).toBe(false);
  },
);

test.for(LOSSES)('the write of a link is lost: %s', async (fate, { isOpen, lossy, newReturn }) => {
  const { number } = await newReturn();
  Object.assign(lossy.next, { write: isOfReturns, fate });
  const ask = () => lossy.client.post(`/api/guias/${number}${LINK}`, '');
  const first = await ask();
  expect(lossy.next.write).toBeUndefined();
  if (first.status !== 200) expect(first.body.codigo).toBe('servicio_no_disponible');
  // A link that was told works.
  expect(await isOpen(first.status === 200 ? first : await ask())).toBe(true);
});

test.for(each(ENDING, DEATHS))(
  'an api dies while a return is cancelled, at the write of %s: %s',
  async ([write, fate], { api, cancellations, demo, mortal, newReturn, returnsOf }) => {
    const { number, back } = await newReturn();
    const { url, died } = await mortal(ENDING[write], fate);
    new Client(url, demo.token).post(`/api/guias/${back}/cancelar`, '').catch(() => {});
    await died;
    await finishCut(api.contextOf(tracking).events);
    const isRegistered = write !== 'event' || fate === 'server lost';
    expect((await returnsOf(number)).named).toBe(isRegistered ? undefined : back);
    expect((await demo.post(`/api/guias/${back}/cancelar`, '')).status).toBe(200);
    expect((await returnsOf(number)).named).toBeUndefined();
    expect(await cancellations(back)).toBe(1);
  },
);

test.for(each(ENDING, DEATHS))(
  'an api dies while it cancels what nobody has scanned, at the write of %s: %s',
  async ([write, fate], { api, cancellations, demo, mortal, newReturn, returnsOf, stores }) => {
    const { number, back } = await newReturn();
    const { contextOf, died } = await mortal(ENDING[write], fate);
    const log = {
      info: () => {},
      warn: ({ err }: { err: unknown }) => {
        throw err;
      },
    };
    const look = (context: typeof contextOf) =>
      cancelUnscanned({ ...context(room), ...context(guidesRoom), ...context(tracking) }, log);
    const rows = modelOf(stores.mongo, RETURNS);
    await rows.updateOne({ _id: back }, { $set: { reviewAfter: new Date(0) } });
    // The other process looks once a minute, and may be first.
    await Promise.race([died, look(contextOf).catch(() => died)]);
    await finishCut(api.contextOf(tracking).events);
    await look(api.contextOf);
    expect((await demo.get(`/api/guias/${back}`)).body.data).toMatchObject({ SEND_ESTATUS: 'Cancelado' });
    expect((await returnsOf(number)).named).toBeUndefined();
    expect(await rows.findOne({ _id: back }).lean()).not.toHaveProperty('reviewAfter');
    expect(await cancellations(back)).toBe(1);
    expect((await demo.post(`/api/guias/${number}/devolucion`, { Anticipada: true })).status).toBe(200);
  },
);
