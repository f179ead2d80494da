import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import mongoose, { type Connection } from 'mongoose';
import { Webhook as Official } from 'standardwebhooks';
import { expect, onTestFinished, vi } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { type OwnedProcess, startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { requireReady } from '#local/system.ts';
import type { FeedType } from '#shared/guides/event-types.ts';
import { createIndexes } from '#shared/stores/collection.ts';
import { WEBHOOKS, type Webhook } from '#shared/webhooks/webhook-model.ts';
import { newSecret, type SecretKeys } from '#shared/webhooks/webhook-secrets.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { appendEvents } from '#test/fixtures/event-log.ts';
import { eventIds, type Receiver, startReceiver } from '#test/fixtures/receiver.ts';
import { INTERNAL_TOKEN } from '#test/fixtures/services.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';
import type { Part } from '../system/part.ts';
import { type Closer, mongoServer } from '../system/servers.ts';

vi.setConfig({ testTimeout: 240_000 });

const ACCOUNTS = 3;
const EVENTS = 4_000;
const FAULTS = 18;
/** The last account has events of these types in turns, and a filter that is changed after each fault. */
const TYPES: FeedType[] = ['EnTransito', 'Entregado', 'Incidencia'];
const FILTERS: FeedType[][] = [['Entregado'], ['Entregado', 'Incidencia']];
const SECRET = newSecret();
/** The keys of a sender are rotated whenever it is killed. */
const [ONE, OTHER] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
const KEYS: Required<SecretKeys>[] = [
  { WEBHOOK_SECRETS_KEY: ONE, WEBHOOK_SECRETS_KEY_PREVIOUS: OTHER },
  { WEBHOOK_SECRETS_KEY: OTHER, WEBHOOK_SECRETS_KEY_PREVIOUS: ONE },
];

/** Starts the service webhooks as a process of its own, on this address of MongoDB, and waits until it is ready. */
const test = storesTest.extend('startSender', { scope: 'file' }, ({ stores, folder }, { onCleanup }) => {
  const started: OwnedProcess[] = [];
  onCleanup(async () => {
    for (const process of started) await process.stop();
  });
  return async (mongoUri: string, keys: SecretKeys) => {
    const port = await freePort();
    const own = { MONGODB_URI: mongoUri, REDIS_URL: stores.redisUrls.webhooks, REDIS_PREFIX: stores.prefix };
    const settings = { INTERNAL_TOKEN, WEBHOOKS_ALLOW_PRIVATE: 'true', DRAIN_MS: '0', PORT: String(port) };
    const sender = startProcess({
      name: 'webhooks',
      command: [process.execPath, join(repoRoot, 'services/webhooks/main.ts')],
      env: { ...process.env, ...own, ...settings, ...keys },
      logFile: join(folder, `webhooks-${started.length}.log`),
    });
    started.push(sender);
    await waitUntilReady(sender, () => requireReady(`http://127.0.0.1:${port}`), 60_000);
    return sender;
  };
});

/** Lets leases that nobody has renewed for two seconds end at once, and the pauses before next tries. */
async function passTime(mongo: Connection): Promise<void> {
  const now = new Date();
  const abandoned = { leaseUntil: { $lt: new Date(now.getTime() + 28_000) } };
  await mongo.collection('webhooks').updateMany(abandoned, { $set: { leaseUntil: now, dueAt: now } });
}

test('with parts killed at random, each event arrives in order', async ({ folder, startSender }) => {
  const closers: Closer[] = [];
  const server = await mongoServer(true, 'webhooks', folder, closers);
  const database = server.part as Part;
  const mongo = await mongoose.createConnection(server.direct).asPromise();
  onTestFinished(async () => {
    await mongo.close();
    for (const close of closers) await close();
  });
  const webhooksOf = mongo.collection<Webhook>('webhooks');
  const store = new WebhookStore(mongo);
  await createIndexes(mongo, WEBHOOKS);
  const receivers: Receiver[] = [];
  const received: Receiver['received'][] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    const receiver = await startReceiver();
    receivers.push(receiver);
    received.push(receiver.received);
    const isFiltered = i === ACCOUNTS - 1;
    await appendEvents(mongo, `c${i}`, 1, EVENTS, isFiltered ? TYPES : undefined);
    const types = isFiltered ? { types: FILTERS[0] as FeedType[] } : {};
    await store.add({ account: `c${i}`, url: receiver.url, description: '', cursor: 0, ...types }, SECRET);
  }
  const filtered = webhooksOf.findOne({ account: `c${ACCOUNTS - 1}` });
  let keys = KEYS[0] as Required<SecretKeys>;
  let sender = await startSender(server.url, keys);
  const messages = () => received.reduce((sum, { length }) => sum + length, 0);
  const left = async () => {
    await passTime(mongo);
    return webhooksOf.countDocuments({ cursor: { $lt: EVENTS } });
  };
  let faults = 0;
  while (faults < FAULTS && (await left()) > 0) {
    const until = messages() + Math.ceil(10 * Math.random());
    await expect.poll(async () => messages() >= until || (await left()) === 0, { interval: 20 }).toBe(true);
    const kind = faults++ % 3;
    if (kind === 0) {
      sender.kill('SIGKILL');
      await sender.ended;
      keys = KEYS[faults % KEYS.length] as Required<SecretKeys>;
      sender = await startSender(server.url, keys);
      await new WebhookStore(mongo, keys).secrets.renewOutdated();
    } else if (kind === 1) {
      const place = faults % ACCOUNTS;
      const receiver = receivers[place] as Receiver;
      await receiver.close();
      receivers[place] = await startReceiver(receiver.port, receiver.received);
    } else {
      await database.kill();
      await database.start();
    }
    const { account = '', id = '' } = (await filtered) ?? {};
    await store.change(
      account,
      id,
      { types: FILTERS[faults % FILTERS.length] as FeedType[] },
      { username: account },
    );
  }
  await expect.poll(left, { timeout: 90_000, interval: 200 }).toBe(0);
  await sender.stop();
  for (const receiver of receivers) await receiver.close();
  const all = Array.from({ length: EVENTS }, (_, i) => `E${i + 1}`);
  let repeated = 0;
  for (const [i, messages] of received.entries()) {
    const bodies = new Map(messages.map(({ headers, body }) => [headers['webhook-id'], body]));
    for (const { headers, body } of messages) {
      expect(bodies.get(headers['webhook-id'])).toBe(body);
      expect(new Official(SECRET).verify(body, headers)).toBeTruthy();
    }
    const isFiltered = i === ACCOUNTS - 1;
    const wanted = all.filter(
      (_, number) => !isFiltered || TYPES[(number + 1) % TYPES.length] === 'Entregado',
    );
    expect([...new Set(eventIds(messages))].filter((each) => wanted.includes(each))).toEqual(wanted);
    repeated += messages.length - bodies.size;
  }
  process.stdout.write(`${faults} faults, ${messages()} messages, ${repeated} of them repeated\n`);
  expect(faults).toBeGreaterThan(8);
  expect(repeated).toBeLessThan(3 * faults);
});
