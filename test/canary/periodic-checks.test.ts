import { expect } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { Credential } from '#services/canary/http/credential.ts';
import { logIn } from '#services/canary/steps/login.ts';
import { periodicChecks } from '#services/canary/steps/periodic-checks.ts';
import { makeRound } from '#services/canary/steps/round.ts';
import { makeSteps } from '#services/canary/steps/steps.ts';
import { OwnWebhook } from '#services/canary/webhook/own-webhook.ts';
import { receiverRoute } from '#services/canary/webhook/receiver-route.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { test as customers } from './customer.ts';

const test = customers.extend('webhook', { scope: 'file' }, async ({ webhooks }, { onCleanup }) => {
  expect(webhooks.url).toBeDefined();
  const port = await freePort();
  const webhook = new OwnWebhook(`http://127.0.0.1:${port}/webhook`);
  const server = await buildHttpServer({ log: createLogger('test', 'silent') }, (built) =>
    receiverRoute(built, webhook),
  );
  await server.listen({ host: '127.0.0.1', port });
  onCleanup(() => server.close());
  return webhook;
});

test('the periodic checks try all that rounds do not', async ({
  customer,
  destinations,
  reader,
  webhook,
}) => {
  const { guide } = await makeRound(customer, 'customers', destinations, reader);
  const login = { username: 'prueba', password: new Credential(() => 'demo1234', 60_000) };
  const goodGuide = () => guide;
  const all = periodicChecks({ customer, destinations, reader, login, webhook, goodGuide, clocks: () => [] });
  const outcomes = [];
  for (const { make } of all) outcomes.push(...(await makeSteps(make)).outcomes);
  const forms = ['carta', 'pequena', '10x15'].flatMap((tipo) =>
    ['PDF', 'PNG', 'ZPL'].map((format) => `other-label ${format} ${tipo}`),
  );
  expect(
    outcomes.map(({ step, form, result, answer }) => [
      `${step} ${form}`.trim(),
      result === 'failed' && answer,
    ]),
  ).toEqual(
    ['delivery', 'webhook', 'clock', 'login', 'manifest', 'cancel', ...forms].map((step) => [step, false]),
  );
  expect(guide?.number).toMatch(/^0/);
});

test('a log of events that was restored fails one delivery, and not the next one', async ({
  customer,
  destinations,
  reader,
  stores,
}) => {
  const { guide } = await makeRound(customer, 'customers', destinations, reader);
  const login = { username: 'prueba', password: new Credential(() => 'demo1234', 60_000) };
  const shared = { webhook: undefined, goodGuide: () => guide, clocks: () => [] };
  const [delivery] = periodicChecks({ customer, destinations, reader, login, ...shared });
  const deliver = async () => {
    const { outcomes } = await makeSteps((step) => delivery?.make(step) ?? Promise.reject());
    return outcomes.map(({ step, result, answer }) => [step, result === 'failed' && answer]);
  };
  expect(await deliver()).toEqual([['delivery', false]]);
  await stores.mongo.collection<{ _id: string }>('events').deleteMany({ _id: /^pruebas / });
  expect(await deliver()).toEqual([['delivery', expect.stringMatching(/^400 /)]]);
  expect(await deliver()).toEqual([['delivery', false]]);
});

test('a password that is refused is a login that fails, and is not tried again at once', async ({
  customer,
}) => {
  const login = { username: 'prueba', password: new Credential(() => 'wrong', 60_000) };
  for (const _ of [1, 2]) {
    const { outcomes } = await makeSteps((step) => step('login', () => logIn(customer, login)));
    expect(outcomes).toMatchObject([
      { step: 'login', result: 'failed', answer: '401: la API rechaza la contraseña del cliente de prueba' },
    ]);
  }
});
