import { randomBytes } from 'node:crypto';
import { Webhook as Official } from 'standardwebhooks';
import { expect } from 'vitest';
import { newSecret, type SecretKeys } from '#shared/webhooks/webhook-secrets.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { eventIds, type Received } from '#test/fixtures/receiver.ts';
import { SECRET, test } from '#test/fixtures/webhooks.ts';

/** Keys of what signs messages are rotated while messages are sent, by the steps of k8s/operations.md "Rotation". */

const [FIRST, SECOND] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];

const isSigned = ({ body, headers }: Received, secret: string) => {
  try {
    return Boolean(new Official(secret).verify(body, headers));
  } catch {
    return false;
  }
};

test('each message can be verified while keys are rotated', async ({
  customer,
  stores,
  startWebhooks,
  webhooksOf,
}) => {
  const { id, receiver } = customer;
  const steps: SecretKeys[] = [
    {},
    { WEBHOOK_SECRETS_KEY: FIRST },
    { WEBHOOK_SECRETS_KEY: FIRST, WEBHOOK_SECRETS_KEY_PREVIOUS: SECOND },
    { WEBHOOK_SECRETS_KEY: SECOND, WEBHOOK_SECRETS_KEY_PREVIOUS: FIRST },
    { WEBHOOK_SECRETS_KEY: SECOND },
  ];
  const known = [SECRET];
  let sent = 0;
  let former: Awaited<ReturnType<typeof startWebhooks>> | undefined;
  /** Has so many messages sent, and waits until they are taken. */
  const send = async (messages: number) => {
    for (let i = 0; i < messages; i++) {
      const before = receiver.received.length;
      await customer.append(++sent, sent);
      // A process that cannot decrypt holds the webhook until its lease ends.
      await expect
        .poll(async () => {
          const past = new Date(Date.now() - 1);
          await webhooksOf.updateOne({ id, cursor: sent - 1 }, { $set: { dueAt: past, leaseUntil: past } });
          return customer.cursor();
        })
        .toBe(sent);
      const [newest = ''] = known;
      for (const message of receiver.received.slice(before)) {
        expect(isSigned(message, SECRET)).toBe(true);
        // One that two senders sent may be of the time before the newest secret.
        if (eventIds([message]).includes(`E${sent}`)) expect(isSigned(message, newest)).toBe(true);
      }
    }
  };
  for (const keys of steps) {
    // As in a rolling restart: senders of this step and of the one before run beside each other.
    const sender = await startWebhooks({ ...keys });
    await send(1);
    const { secrets } = new WebhookStore(stores.mongo, keys);
    await secrets.renewOutdated();
    await send(1);
    const next = newSecret();
    if (known.length < 4) {
      await secrets.add(id, next);
      known.unshift(next);
    }
    await send(1);
    await former?.server.close();
    former = sender;
    expect(await secrets.countOutdated()).toBe(0);
  }
  await former?.server.close();
});

test('without the key nothing is sent, and nothing lost', async ({
  newCustomer,
  stores,
  startWebhooks,
  webhooksOf,
}) => {
  const customer = await newCustomer();
  const { id, receiver } = customer;
  const keys = { WEBHOOK_SECRETS_KEY: FIRST };
  const both = { ...keys, WEBHOOK_SECRETS_KEY_PREVIOUS: SECOND };
  await new WebhookStore(stores.mongo, both).secrets.renewOutdated();
  const without = await startWebhooks({ WEBHOOK_SECRETS_KEY: SECOND });
  await customer.append(1, 2);
  await expect.poll(async () => (await customer.read()).waitingSince).toBeInstanceOf(Date);
  const other = await newCustomer();
  await other.append(1, 1);
  await expect.poll(other.cursor).toBe(1); // the sender has gone on to others
  expect([await customer.cursor(), receiver.received]).toEqual([0, []]);
  expect((await customer.read()).failures).toBe(0);
  await without.server.close();
  await startWebhooks(keys);
  await webhooksOf.updateOne({ id }, { $set: { dueAt: new Date(), leaseUntil: new Date() } });
  await expect.poll(customer.cursor).toBe(2);
  expect(receiver.received.every((message) => isSigned(message, SECRET))).toBe(true);
});
