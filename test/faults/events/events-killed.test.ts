import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { CORE } from '#services/api/app.ts';
import { tracking } from '#services/api/tracking/room.ts';
import { webhooks } from '#services/api/webhooks/room.ts';
import type { FeedType } from '#shared/guides/event-types.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { EventLog, feedEvent } from '#shared/tracking/event-log.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { Client } from '#test/fixtures/client.ts';
import { event, wordsOf } from '#test/fixtures/events.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { seeded } from '#test/fixtures/labels/random-labels.ts';
import { newGuides } from '#test/fixtures/manifests.ts';
import type { Receiver } from '#test/fixtures/receiver.ts';
import { SECRET, test as webhooksTest } from '#test/fixtures/webhooks.ts';
import { keepFigures, long } from '../clients/under-load.ts';
import {
  API_WRITES,
  type Life,
  type Meeting,
  type Mortal,
  Remains,
  SENDER_WRITES,
  startMortal,
} from './mortal-processes.ts';

/** What readers of the feed and receivers of webhooks see of processes that are killed between any two writes. */

vi.setConfig({ testTimeout: 600_000 });

const ACCOUNTS = ['demo', 'otra'];
const SCANNERS = 4;
const TYPES = ['EnTransito', 'EnReparto', 'EnSucursal'] as const;
/** Each account has a webhook for all events, and one for these, whose receiver often fails. */
const FILTER: FeedType[] = ['EnReparto'];
/** Two processes of each service live such lives at the same time. */
type Plan = { apis: Life[][]; senders: Life[][] };
type Told = ReturnType<typeof event> & { Id: string };
type Shown = ReturnType<typeof feedEvent>;

const killed = (fate: Meeting['fate'], ...writes: Meeting['write'][]): Life[] =>
  writes.map((write) => [{ write, nth: 1, fate }]);
const EACH_WRITE: Plan = {
  apis: [
    killed('killed after', ...API_WRITES),
    [
      [
        { write: 'entries', nth: 1, fate: 'half done' },
        { write: 'entries', nth: 2, fate: 'killed before' },
      ],
      ...killed('killed before', 'states', 'done', 'wake'),
    ],
  ],
  senders: [
    killed('killed after', ...SENDER_WRITES),
    killed('killed before', 'begin', 'move', 'release', 'postpone'),
  ],
};

const SURVIVED = ['answer lost', 'never done', 'not primary', 'not replicated'] as const;

/** Makes lives that end at any write, and meet before what a process survives. */
function anyLives(seed: number, writes: readonly Meeting['write'][]): Life[] {
  const random = seeded(seed);
  const any = <T>(all: readonly T[]) => all[Math.floor(all.length * random())] as T;
  const meeting = (fates: readonly Meeting['fate'][]) => ({
    ...{ write: any(writes), nth: 1 + Math.floor(3 * random()), fate: any(fates) },
  });
  return Array.from({ length: 8 }, () => [
    meeting(['killed before', 'killed after']), // the first of several at one write holds
    ...[meeting(SURVIVED), meeting(SURVIVED)],
  ]);
}
const ANY_WRITE: Plan = {
  apis: [anyLives(1, API_WRITES), anyLives(2, API_WRITES)],
  senders: [anyLives(3, [...SENDER_WRITES, 'postpone']), anyLives(4, [...SENDER_WRITES, 'postpone'])],
};

const test = webhooksTest
  .extend('built', { rooms: [...CORE, tracking, webhooks] })
  .extend('log', { scope: 'file' }, ({ stores }) => new EventLog(stores.mongo))
  /** Numbers of guides of two accounts. */
  .extend('guides', { scope: 'file' }, async ({ demo, stores }) => {
    const numbers = await newGuides(demo, long ? 60 : 6);
    const ofOther = { _id: { $in: numbers.slice(numbers.length / 2) } };
    const guides = stores.mongo.collection<GuideDocument>('guides');
    await guides.updateMany(ofOther, { $set: { account: 'otra' } });
    return numbers;
  })
  /** Follows the feed of an account from its end, in pages of all sizes, until `isOver`. */
  .extend('follow', { scope: 'file' }, ({ log, stores }) => {
    const guides = stores.mongo.collection<GuideDocument>('guides');
    return async (account: string, remains: Remains, isOver: () => boolean) => {
      const shown: Shown[] = [];
      const early: LogEntry[] = [];
      const first = await log.last(account);
      for (let next = first; !isOver() || next < (await log.last(account)); ) {
        const page = await log.page(account, next, 1 + (shown.length % 7));
        const numbers = page.entries.map(({ told }) => told.Guia);
        const found = await guides.find({ _id: { $in: numbers } }).toArray();
        const stored = new Map(found.map(({ _id, events = 0 }) => [_id, events]));
        const old = (await log.now()).getTime() - 5_000;
        const isEarly = ({ told, version, registered, append }: LogEntry) =>
          (stored.get(told.Guia) ?? 0) < version && registered.getTime() > old && !remains.old.has(append);
        early.push(...page.entries.filter(isEarly));
        shown.push(...page.entries.map(feedEvent));
        next = page.next;
        if (page.entries.length === 0) await sleep(10);
      }
      return { account, shown, early };
    };
  })
  /** Adds two webhooks to an account. @returns their receivers. */
  .extend('subscribe', { scope: 'file' }, ({ log, newReceiver, store }) => async (account: string) => {
    const cursor = await log.last(account);
    const add = async (types: FeedType[]) => {
      const receiver = await newReceiver();
      const url = receiver.url;
      await store.add({ account, url, description: '', cursor, ...(types.length > 0 && { types }) }, SECRET);
      return { account, types: types.length > 0 ? types : [...TYPES], receiver };
    };
    return [await add([]), await add(FILTER)];
  });

test('an event reaches webhooks in seconds, though the answer to the end of its append is lost', async ({
  api: healthy,
  guides,
  startApi,
  startWebhooks,
  stores,
  subscribe,
  webhooksOf,
}) => {
  const life: Life = [{ write: 'done', nth: 1, fate: 'answer lost' }];
  const api = await startMortal(startApi, stores.mongoUri, life, new Remains(stores.mongo), () => {});
  const [{ receiver } = { receiver: undefined }] = await subscribe('demo');
  await startWebhooks();
  const isIdle = { dueAt: { $gt: new Date(Date.now() + 10_000) }, leaseUntil: new Date(0) };
  await expect.poll(() => webhooksOf.countDocuments(isIdle)).toBe(2);
  const { token } = await Client.login(healthy.url, 'escaner');
  await new Client(api.url, token).post('/api/eventos', { Eventos: [event(guides[0] ?? '', 'EnTransito')] });
  await expect.poll(() => receiver?.received.length).toBe(1); // within half a minute; one that nobody wakes waits a minute
});

test.for<[string, Plan]>([
  ['each write', EACH_WRITE],
  ...(long ? [['any write', ANY_WRITE] as [string, Plan]] : []),
])(
  'apis and senders killed around %s, and a failover, cost no event, and double and disorder none',
  async ([name, plan], {
    api: healthy,
    follow,
    guides,
    log,
    startApi,
    startWebhooks,
    stores,
    subscribe,
    webhooksOf,
  }) => {
    const apis = new Set<Mortal>();
    const senders = new Set<Mortal>();
    const remains = new Remains(stores.mongo);
    let [writes, deaths, isQuiet, isOver] = [0, 0, false, false];
    onTestFinished(async () => {
      isQuiet = isOver = true;
      await webhooksOf.deleteMany({});
    });

    const { token } = await Client.login(healthy.url, 'escaner');
    const subscriptions = (await Promise.all(ACCOUNTS.map(subscribe))).flat();
    for (const { receiver, types } of subscriptions) {
      receiver.answer = (response) => {
        const fails = !isQuiet && types === FILTER && receiver.received.length % 3 === 0;
        response.writeHead(fails ? 500 : 204).end();
      };
    }

    /** Starts one process after the other, each when the one before it has died; the last one stays. */
    const keepAlive = async (start: Parameters<typeof startMortal>[0], lives: Life[], alive: Set<Mortal>) => {
      for (const life of [...lives, []]) {
        const process = await startMortal(start, stores.mongoUri, life, remains, () => void writes++);
        alive.add(process);
        if (life.length === 0) return;
        await process.died;
        alive.delete(process);
        deaths++;
      }
    };
    /**
     * Has the database elect a primary, whose connections stay open, while processes write. Those that read first see that there is no
     * primary, and wait for one: then nothing is written.
     */
    const failOver = async () => {
      const until = writes + 1;
      const elections = [...apis, ...senders].map(({ stepDown }) => stepDown());
      await vi.waitUntil(() => writes >= until, { timeout: 3_000 }).catch(() => {});
      for (const elect of elections) elect();
    };

    const acknowledged = new Set<string>();
    /** Sends events to one api after the other until they are acknowledged. */
    const register = async (Eventos: Told[], first = 0) => {
      for (let turn = first; ; turn++) {
        const api = [...apis][turn % Math.max(1, apis.size)];
        const answer = await Promise.race([
          api && new Client(api.url, token).post('/api/eventos', { Eventos }),
          api?.died,
        ]).catch(() => undefined);
        if (answer?.status === 200) {
          expect(wordsOf(answer).filter((word) => !['registrado', 'repetido'].includes(word))).toEqual([]);
          for (const { Guia, Id } of Eventos) acknowledged.add(`${Guia} ${Id}`);
          return;
        }
        await sleep(20);
      }
    };
    const scan = async (_: unknown, scanner: number) => {
      const random = seeded(scanner);
      const any = <T>(all: readonly T[]) => all[Math.floor(all.length * random())] as T;
      for (let i = 0; !isQuiet; i++) {
        const told = (_: unknown, j: number): Told => ({
          ...event(any(guides), any(TYPES)),
          Id: `${name.slice(0, 2)}-${scanner}-${i}-${j}`,
        });
        await register(Array.from({ length: 1 + Math.floor(4 * random()) }, told), scanner);
        await sleep(40 * random());
      }
    };
    // One by one: in DocumentDB a write of several that meets an api's ends as a deadlock.
    const wakeAll = async () => {
      const now = new Date();
      for (const { _id } of await webhooksOf.find({ leaseUntil: { $lte: now } }).toArray())
        await webhooksOf.updateOne({ _id, leaseUntil: { $lte: now } }, { $set: { dueAt: now } });
    };
    /** Lets a minute pass for what the dead have left. */
    const passTime = async () => {
      while (!isOver) {
        await remains.growOld();
        if (!isQuiet) await wakeAll();
        await sleep(50);
      }
    };
    /** Waits until each webhook has got everything, and no sender looks at it again soon. */
    const settle = () =>
      vi.waitFor(
        async () => {
          const soon = { $lt: new Date(Date.now() + 10_000) };
          expect(
            await webhooksOf.countDocuments({ $or: [{ dueAt: soon }, { lease: { $exists: true } }] }),
          ).toBe(0);
          for (const account of ACCOUNTS) {
            const behind = { account, cursor: { $lt: await log.last(account) } };
            expect(await webhooksOf.countDocuments(behind)).toBe(0);
          }
        },
        { timeout: 30_000, interval: 50 },
      );

    const passing = passTime();
    const following = Promise.all(ACCOUNTS.map((account) => follow(account, remains, () => isOver)));
    const scanning = Promise.all(Array.from({ length: SCANNERS }, scan));
    const living = Promise.all([
      ...plan.apis.map((lives) => keepAlive(startApi, lives, apis)),
      ...plan.senders.map((lives) => keepAlive(startWebhooks, lives, senders)),
    ]);
    const planned = [...plan.apis, ...plan.senders].flat().length;
    for (const share of long ? [0.2, 0.4, 0.6, 0.8] : [0.5]) {
      await vi.waitUntil(() => deaths >= share * planned, { timeout: 300_000 });
      await failOver();
    }
    await living;
    isQuiet = true;
    await scanning;
    await wakeAll();
    await settle();
    // Now that nothing fails, nobody has to wait.
    for (const i of [0, 1])
      await register(
        guides.map((guide) => ({ ...event(guide, 'EnReparto'), Id: `${name.slice(0, 2)}-last-${i}` })),
        i,
      );
    await settle();
    isOver = true;
    await passing;

    const feeds = await following;
    for (const { shown, early } of feeds) {
      expect(early).toEqual([]);
      expectOrder(shown);
    }
    const all = feeds.flatMap(({ shown }) => shown.map(keyOf));
    expect([...acknowledged].filter((key) => !all.includes(key))).toEqual([]);
    expect(all.length).toBe(acknowledged.size);
    await finishCut(healthy.contextOf(tracking).events);
    const states = await stores.mongo
      .collection<GuideDocument>('guides')
      .find({ _id: { $in: guides } })
      .toArray();
    const lastOf = new Map(feeds.flatMap(({ shown }) => shown.map((event) => [event.SEND_GUIA, event])));
    for (const { _id, status, events } of states) {
      const { SEND_ESTATUS, Version } = lastOf.get(_id) as Shown;
      expect([_id, status, events]).toEqual([_id, SEND_ESTATUS, Version]);
    }
    let [messages, repeated] = [0, 0];
    for (const { account, types, receiver } of subscriptions) {
      const shown = feeds.find((feed) => feed.account === account)?.shown ?? [];
      const bodies = bodiesOf(receiver);
      const arrived = bodies.flatMap((body) => JSON.parse(body).data.Eventos as Shown[]);
      expect(arrived.map(keyOf)).toEqual(shown.filter(({ Tipo }) => types.includes(Tipo)).map(keyOf));
      messages += bodies.length;
      repeated += receiver.received.length - bodies.length;
    }
    expect(repeated).toBeLessThan(messages);
    keepFigures({ fault: `killed around ${name}`, deaths, events: all.length, messages, repeated });
    process.stdout.write(
      `${deaths} deaths, ${all.length} events, ${messages} messages, ${repeated} repeated\n`,
    );
  },
);

const keyOf = ({ SEND_GUIA, Id }: Shown) => `${SEND_GUIA} ${Id}`;

/** Returns the messages of a receiver in the order in which each came first, and expects that repeated ones were the same. */
function bodiesOf({ received }: Receiver): string[] {
  const bodies = new Map(received.map(({ headers, body }) => [headers['webhook-id'], body]));
  for (const { headers, body } of received) expect(bodies.get(headers['webhook-id'])).toBe(body);
  return [...bodies.values()];
}

/** Expects every guide's events once, in the order of their versions, and each scanner's in the order of its requests. */
function expectOrder(shown: Shown[]): void {
  expect(new Set(shown.map(keyOf)).size).toBe(shown.length);
  for (const events of Map.groupBy(shown, ({ SEND_GUIA }) => SEND_GUIA).values()) {
    const [{ Version: first }] = events as [Shown];
    expect(events.map(({ Version }) => Version)).toEqual(events.map((_, i) => first + i));
    for (const own of Map.groupBy(events, ({ Id }) => Id.split('-').slice(0, 2).join()).values()) {
      const requests = own.map(({ Id }) => Number(Id.split('-')[2]));
      expect(requests).toEqual(requests.toSorted((a, b) => a - b));
    }
  }
}
