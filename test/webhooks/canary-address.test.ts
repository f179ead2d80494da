import { Webhook as Official } from 'standardwebhooks';
import { expect } from 'vitest';
import { directConnector } from '#services/webhooks/public-addresses.ts';
import { WebhookClient } from '#services/webhooks/webhook-client.ts';
import type { Webhook } from '#shared/webhooks/webhook-model.ts';
import { makeCanaryAccount } from '#test/fixtures/canary-account.ts';
import { Client } from '#test/fixtures/client.ts';
import { startConnectProxy } from '#test/fixtures/connect-proxy.ts';
import { appendEvents } from '#test/fixtures/event-log.ts';
import { eventIds, taking } from '#test/fixtures/receiver.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';
import { test as webhooksTest } from '#test/fixtures/webhooks.ts';

/** The one address in our network, which only the canary's webhook may have (docs/contract.md "Canary"). */

const INSIDE = 'El nombre no lleva a una direccion publica';
type Created = { Id: string; Secreto: string };

const test = webhooksTest
  .extend('receiver', { scope: 'file' }, ({ newReceiver }) => newReceiver())
  .extend('address', { scope: 'file' }, ({ receiver }) => `http://localhost:${receiver.port}/webhook`)
  .extend('proxy', { scope: 'file' }, async ({}, { onCleanup }) => {
    const proxy = await startConnectProxy();
    onCleanup(() => proxy.close());
    return proxy;
  })
  /** An installation whose webhooks lead to the internet, through a proxy, and to the canary. */
  .extend('installation', { scope: 'file' }, async ({ receiver, proxy, startApi, startWebhooks, stores }) => {
    const own = { WEBHOOKS_ALLOW_PRIVATE: 'false', CANARY_URL: `http://localhost:${receiver.port}` };
    const sending = await startWebhooks({ ...own, WEBHOOKS_PROXY_URL: proxy.url });
    const api = await startApi({ ...own, WEBHOOKS_URL: sending.url });
    const { key } = await makeCanaryAccount(stores);
    const outcomes = async () => {
      const figures = await scrape(sending.url);
      return ['ok', 'failed'].map((how) =>
        figures.get(`user_actions_total{action="webhook",outcome="${how}"}`),
      );
    };
    return { url: api.url, key, outcomes };
  })
  .extend('guardia', { scope: 'file' }, ({ installation }) => new Client(installation.url, installation.key));

test("its messages go there, signed, past the proxy, and count as nobody else's", async ({
  address,
  guardia,
  installation,
  proxy,
  receiver,
  store,
  stores,
  webhooksOf,
}) => {
  const { status, body } = await guardia.post('/api/webhooks', { Url: address });
  expect(status).toBe(200);
  const { Id: id, Secreto } = body.data as Created;
  expect(await webhooksOf.findOne({ id })).toMatchObject({ url: address, test: true, canaryOf: '' });

  expect((await guardia.post(`/api/webhooks/${id}/probar`, '')).body.data).toMatchObject({ Tomado: true });
  await appendEvents(stores.mongo, 'guardia-cliente', 1, 2);
  await store.wake('guardia-cliente', 0);
  await expect.poll(() => webhooksOf.findOne({ id })).toMatchObject({ cursor: 2 });
  const [trial, message] = receiver.received;
  expect([trial?.path, message?.path, eventIds(receiver.received)]).toEqual([
    '/webhook',
    '/webhook',
    ['E1', 'E2'],
  ]);
  expect(new Official(Secreto).verify(message?.body ?? '', message?.headers ?? {})).toBeTruthy();

  receiver.answer = (response) => void response.writeHead(410).end();
  await appendEvents(stores.mongo, 'guardia-cliente', 3, 3);
  await store.wake('guardia-cliente', 0);
  await expect.poll(() => webhooksOf.findOne({ id })).toMatchObject({ failures: 1, active: true });
  expect([proxy.asked, await installation.outcomes()]).toEqual([[], [0, 0]]);
  await store.remove('guardia-cliente', id); // it is tried every 15 s, and the tests that follow count messages
});

test('it may have no other address inside', async ({ address, guardia, receiver }) => {
  for (const Url of [
    `${address}?a=b`,
    `${address}s`,
    `http://localhost:${receiver.port}/`,
    `http://127.0.0.1:${receiver.port}/webhook`,
    'https://10.0.0.1/webhook',
  ]) {
    const { status, body } = await guardia.post('/api/webhooks', { Url });
    expect([Url, status, body.details?.[0]?.campo]).toEqual([Url, 400, 'Url']);
  }
});

test('no other account may have the address, wherever webhooks may lead', async ({
  address,
  installation,
  receiver,
  startApi,
}) => {
  const CANARY_URL = `http://localhost:${receiver.port}`;
  const home = await startApi({ CANARY_URL, WEBHOOKS_ALLOW_NETWORKS: '127.0.0.0/8' });
  for (const url of [installation.url, home.url]) {
    for (const name of ['demo', 'prueba']) {
      const customer = await Client.login(url, name);
      const refused = await customer.post('/api/webhooks', { Url: address });
      expect([refused.status, refused.body.codigo]).toEqual([400, 'campo_formato']);
      const made = await customer.post('/api/webhooks', { Url: 'https://tienda.example/guias' });
      const { Id } = made.body.data as Created;
      const changed = await customer.patch(`/api/webhooks/${Id}`, { Url: address });
      expect([changed.status, changed.body.codigo]).toEqual([400, 'campo_formato']);
    }
  }
});

test('a webhook of another account that has it is not sent, however it was stored', async ({
  address,
  installation,
  newCustomer,
  proxy,
  receiver,
}) => {
  const before = receiver.received.length;
  const [ok = 0, failed] = await installation.outcomes();
  const customer = await newCustomer(address);
  await customer.append(1, 1);
  await expect.poll(customer.read).toMatchObject({ failures: 1, lastFailure: { reason: INSIDE } });
  expect([receiver.received.length, proxy.asked]).toEqual([before, []]);
  await expect.poll(installation.outcomes).toEqual([ok + 1, failed]);
});

test('nor is one of the canary sent to another address inside', async ({
  newCustomer,
  installation,
  proxy,
}) => {
  const customer = await newCustomer();
  await customer.set({ canaryOf: '' } as Partial<Webhook>);
  const counted = await installation.outcomes();
  await customer.append(1, 1);
  await expect.poll(customer.read).toMatchObject({ failures: 1, lastFailure: { reason: INSIDE } });
  const { received } = customer.receiver;
  expect([received, proxy.asked, await installation.outcomes()]).toEqual([[], [], counted]);
});

test('a sender that may send anywhere sends there for the canary of its cell alone', async ({
  address,
  onTestFinished,
  receiver,
}) => {
  receiver.answer = taking;
  const canary = { url: address, cell: 'norte' };
  const client = new WebhookClient(
    directConnector(() => true),
    Date.now,
    { canary },
  );
  onTestFinished(() => client.close());
  const post = (canaryOf?: string) =>
    client.post({ url: address, secrets: ['whsec_YQ=='], canaryOf }, { id: 'msg_1', body: '{}' });
  expect(await post('norte')).toMatchObject({ status: 204 });
  for (const other of [undefined, '', 'sur']) expect(await post(other)).toMatchObject({ failure: INSIDE });
});
