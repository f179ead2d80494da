import { expect } from 'vitest';
import { test as dashboardTest } from '#test/fixtures/dashboard/dashboard.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { type MongoCommand, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';

const READS = ['find', 'count', 'aggregate', 'distinct'];

const test = dashboardTest
  /** A MongoDB, and what it was asked to read. */
  .extend('asked', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const reads: MongoCommand[] = [];
    const proxy = await startMongoProxy(stores.mongoUri, (command) => {
      if (READS.some((name) => name in command)) reads.push(command);
      return 'done';
    });
    onCleanup(proxy.close);
    return { uri: proxy.uri, reads };
  });

test('MongoDB ends every read of a look and of support after three seconds', async ({
  asked: { uri, reads },
  startDashboard,
}) => {
  const { url } = await startDashboard({ MONGODB_URI: uri });
  const operator = await Visitor.operator(url);
  await operator.page('/');
  const body = new URLSearchParams({ buscar: 'PEDIDO-1042', cuenta: '' });
  await operator.send('POST', '/soporte', { body });
  const collections = reads.map((command) => READS.map((name) => command[name]).find(Boolean));
  expect(collections).toEqual(expect.arrayContaining(['users', 'webhooks']));
  expect(reads.filter(({ maxTimeMS }) => maxTimeMS !== 3_000)).toEqual([]);
});
