import { expect, vi } from 'vitest';
import { createIndexes } from '#shared/stores/collection.ts';
import { WEBHOOKS as COLLECTION } from '#shared/stores/webhook-model.ts';
import { WebhookStore } from '#shared/stores/webhook-store.ts';
import { appendEvents } from '#test/fixtures/event-log.ts';
import { eventIds, startReceiver, taking } from '#test/fixtures/receiver.ts';
import { CONTAINER_MIB, test } from '#test/fixtures/sender-process.ts';

vi.setConfig({ testTimeout: 1_200_000 });

const ACCOUNTS = 200;
const WEBHOOKS = 5;
const EVENTS = 1_000;

test('1 000 webhooks with a million events behind are worked off within bounded memory', async ({
  stores,
  startSender,
  webhooksOf,
}) => {
  const store = new WebhookStore(stores.mongo);
  await createIndexes(stores.mongo, COLLECTION);
  const receiver = await startReceiver();
  /** Number of the last event of each path, where all came in order. */
  const last = new Map<string, number>();
  receiver.answer = (response, message) => {
    receiver.received.length = 0;
    for (const id of eventIds([message])) {
      const before = last.get(message.path) ?? 0;
      expect(id).toBe(`E${before + 1}`);
      last.set(message.path, before + 1);
    }
    taking(response, message);
  };
  for (let i = 0; i < ACCOUNTS; i++) {
    const account = `c${i}`;
    await appendEvents(stores.mongo, account, 1, EVENTS);
    for (let each = 0; each < WEBHOOKS; each++) {
      const url = `${receiver.url}${account}/${each}`;
      await store.add({ account, url, description: '', cursor: 0 }, 'whsec_YQ==');
    }
  }
  const sender = await startSender();
  const from = performance.now();
  let most = 0;
  await expect
    .poll(
      async () => {
        const metrics = await (await fetch(`${sender.url}/metrics`)).text();
        most = Math.max(most, Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]));
        return webhooksOf.countDocuments({ cursor: { $lt: EVENTS } });
      },
      { timeout: 1_000_000, interval: 500 },
    )
    .toBe(0);
  const seconds = (performance.now() - from) / 1_000;
  const memory = Math.round(most / 1_048_576);
  process.stdout.write(`1 000 000 events in ${seconds.toFixed(0)} s, ${memory} MiB at most\n`);
  expect([...last.values()]).toEqual(Array(ACCOUNTS * WEBHOOKS).fill(EVENTS));
  expect(memory).toBeLessThan(CONTAINER_MIB);
  await receiver.close();
});
