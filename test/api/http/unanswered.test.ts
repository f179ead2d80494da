import { expect } from 'vitest';
import { accounts } from '#services/api/accounts/room.ts';
import { UNANSWERED_MS } from '#shared/actions/user-actions.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { test } from '#test/fixtures/services.ts';

test('a request without answer counts as failed while it waits, and not again when it is answered', async ({
  startApi,
  stores,
  onTestFinished,
}) => {
  const lock = Promise.withResolvers<Fate>();
  const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) =>
    insert === 'guides' ? lock.promise : 'done',
  );
  onTestFinished(() => proxy.close());
  onTestFinished(() => lock.resolve('done'));
  const { url, contextOf } = await startApi({ MONGODB_URI: proxy.uri });
  const client = await Client.login(url);
  const failing = () => contextOf(accounts).userActions.report(Date.now()).create?.failing;

  const from = performance.now();
  const creating = client.create([minimalGuide()]);
  await expect.poll(failing, { timeout: 60_000 }).toMatchObject({ notOk: 1, codigo: 'sin_respuesta' });
  expect(performance.now() - from).toBeGreaterThan(UNANSWERED_MS);

  lock.resolve('done');
  await creating;
  const { body } = await client.get('/api/guias');
  expect(body).toMatchObject({ data: [{}] });
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^user_actions_total\{action="create",outcome="failed"\} 1$/m);
  expect(metrics).toMatch(/^user_actions_total\{action="create",outcome="ok"\} 0$/m);
});
