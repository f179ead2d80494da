import { mongo } from 'mongoose';
import { expect } from 'vitest';
import { createLogger } from '#shared/observability/logger.ts';
import { driverOf, modelOf } from '#shared/stores/collection.ts';
import { errorOf, insertEach, insertMissing } from '#shared/stores/insert-each.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { HEALTH } from '#shared/stores/mongo-check.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

const AT = new Date();
const named = (...names: string[]) => names.map((_id) => ({ _id, at: AT }));

/** Tests with a collection in which `first` and `third` are stored; `fault` says what becomes of inserts. */
const test = storesTest.extend('inserts', async ({ stores }, { onCleanup }) => {
  const fault = { fate: 'done' as Fate };
  const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) => (insert ? fault.fate : 'done'));
  const connection = await connectMongo(proxy.uri, createLogger('test', 'silent'));
  onCleanup(async () => {
    await connection.close();
    await proxy.close();
  });
  const model = modelOf(connection, HEALTH);
  await driverOf(model).deleteMany({});
  await driverOf(model).insertMany(named('first', 'third'));
  const stored = async () => (await model.find().sort({ _id: 1 }).lean()).map(({ _id }) => _id);
  return { model, fault, stored };
});

test('what is stored already stays, whatever comes before or after it', async ({
  inserts: { model, stored },
}) => {
  expect(await insertMissing(model, named('first', 'second', 'third', 'fourth'))).toEqual([0, 2]);
  expect(await stored()).toEqual(['first', 'fourth', 'second', 'third']);
});

test('each document that a full disk refuses is known to be absent', async ({
  inserts: { model, fault, stored },
}) => {
  fault.fate = 'no space for each';
  const failures = await insertEach(model, named('second', 'fourth'));
  expect([...failures.keys()]).toEqual([0, 1]);
  const error = errorOf(failures.get(1) as mongo.WriteError);
  expect([error, isTransientError(error)]).toEqual([expect.any(mongo.MongoServerError), true]);
  await expect(insertMissing(model, named('second'))).rejects.toThrow('No space left on device');
  expect(await stored()).toEqual(['first', 'third']);
});

test.for(['not replicated', 'answer lost'] as const)(
  'nobody knows what is stored where it is %s',
  async (fate, { inserts: { model, fault } }) => {
    fault.fate = fate;
    const error = await insertEach(model, named('first', 'second')).catch((error: unknown) => error);
    expect(isTransientError(error)).toBe(true);
  },
);
