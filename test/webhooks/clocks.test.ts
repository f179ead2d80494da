import { expect, onTestFinished } from 'vitest';
import { INTERNAL_TOKEN_HEADER } from '#shared/http/internal-calls.ts';
import { createIndexes } from '#shared/stores/collection.ts';
import { WEBHOOKS } from '#shared/stores/webhook-model.ts';
import { WebhookStore } from '#shared/stores/webhook-store.ts';
import { appendEvents } from '#test/fixtures/event-log.ts';
import { eventIds, startReceiver } from '#test/fixtures/receiver.ts';
import { test } from '#test/fixtures/sender-process.ts';
import { INTERNAL_TOKEN } from '#test/fixtures/services.ts';

const MINUTE = 60_000;
const ROUNDS = 6;

test('processes whose clocks are four minutes apart send each event once, and none waits for a clock', async ({
  stores,
  startSender,
  webhooksOf,
}) => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const store = new WebhookStore(stores.mongo);
  await createIndexes(stores.mongo, WEBHOOKS);
  const paths = Array.from({ length: 5 }, (_, i) => `/c${i}`);
  for (const path of paths) {
    const url = new URL(path, receiver.url).href;
    await store.add({ account: path.slice(1), url, description: '', cursor: 0 }, 'whsec_YQ==');
  }
  const probe = async (url: string) => {
    const { account, id: webhook } = (await webhooksOf.findOne({})) ?? {};
    const headers = { [INTERNAL_TOKEN_HEADER]: INTERNAL_TOKEN, 'content-type': 'application/json' };
    const body = JSON.stringify({ account, webhook });
    return (await fetch(`${url}/internal/probe`, { method: 'POST', headers, body })).status;
  };
  for (const clockMs of [2 * MINUTE, -2 * MINUTE]) {
    const { url } = await startSender(stores.mongoUri, clockMs);
    expect(await probe(url)).toBe(200);
    const timestamp = 1_000 * Number(receiver.received.at(-1)?.headers['webhook-timestamp']);
    expect(Math.abs(timestamp - Date.now() - clockMs)).toBeLessThan(MINUTE / 2);
  }
  for (let number = 1; number <= ROUNDS; number++) {
    // What is released by one process is claimed by either of them in the next round.
    for (const path of paths) {
      await appendEvents(stores.mongo, path.slice(1), number, number);
      await store.wake(path.slice(1), 0);
    }
    await expect.poll(() => webhooksOf.countDocuments({ cursor: number })).toBe(paths.length);
    await expect.poll(() => webhooksOf.countDocuments({ lease: { $exists: true } })).toBe(0);
  }
  const all = Array.from({ length: ROUNDS }, (_, i) => `E${i + 1}`);
  for (const path of paths)
    expect(eventIds(receiver.received.filter((one) => one.path === path))).toEqual(all);
  expect(await webhooksOf.countDocuments({ dueAt: { $gt: new Date(Date.now() + 1.5 * MINUTE) } })).toBe(0);
});
