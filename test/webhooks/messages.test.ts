import { Webhook as Official, WebhookVerificationError } from 'standardwebhooks';
import { expect } from 'vitest';
import { newSecret } from '#shared/stores/webhook-store.ts';
import { SECRET, test } from '#test/fixtures/webhooks.ts';

/** The official library of Standard Webhooks verifies what a receiver gets. */

test('a message is signed with the secret, and with no other', async ({ webhooks, customer }) => {
  expect(webhooks.url).toBeTruthy();
  await customer.append(1, 2);
  await expect.poll(customer.cursor).toBe(2);
  const [message] = customer.receiver.received;
  if (!message) throw new Error('there is no message');
  const read = new Official(SECRET).verify(message.body, message.headers) as { data: { Eventos: object[] } };
  expect(read.data.Eventos[1]).toEqual({
    Id: 'E2',
    SEND_GUIA: '390458235877',
    Tipo: 'EnTransito',
    SEND_ESTATUS: 'EnTransito',
    Version: 2,
    Ocurrido: expect.any(String),
    Registrado: expect.any(String),
  });
  for (const [secret, body] of [
    [newSecret(), message.body],
    [SECRET, `${message.body} `],
  ] as const) {
    expect(() => new Official(secret).verify(body, message.headers)).toThrow(WebhookVerificationError);
  }
});

test('while a secret changes both sign, and after a day the new one alone', async ({
  webhooks,
  customer,
  store,
}) => {
  expect(webhooks.url).toBeTruthy();
  const secret = newSecret();
  await store.addSecret(customer.account, customer.id, secret);
  const verifies = (each: string) => {
    const { body = '', headers = {} } = customer.receiver.received.at(-1) ?? {};
    try {
      return Boolean(new Official(each).verify(body, headers));
    } catch {
      return false;
    }
  };
  await customer.append(1, 1);
  await expect.poll(customer.cursor).toBe(1);
  expect([SECRET, secret].map(verifies)).toEqual([true, true]);
  await customer.sign([{ value: secret }, { value: SECRET, until: new Date() }]);
  await customer.append(2, 2);
  await expect.poll(customer.cursor).toBe(2);
  expect([SECRET, secret].map(verifies)).toEqual([false, true]);
});
