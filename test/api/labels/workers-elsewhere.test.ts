import type { Queue } from 'bullmq';
import { expect } from 'vitest';
import { LabelWorkers } from '#services/api/labels/label-workers.ts';
import { elsewhereReader } from '#services/dashboard/system-state.ts';
import { MissingHere } from '#shared/stores/dependencies.ts';
import { ProcessRegistry } from '#shared/stores/process-registry.ts';
import { Fleet, workerBeat } from '#test/fixtures/dashboard/fleet.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

/** The label workers that an api and the other processes of its cell see. */
const test = storesTest
  .extend('fleet', ({ stores }, { onCleanup }) => {
    const fleet = new Fleet(stores);
    onCleanup(() => fleet.close());
    return fleet;
  })
  .extend('others', {} as { see?: boolean; areUnknown?: boolean })
  .extend('workers', ({ stores, others }) => {
    const { redis, prefix } = stores;
    const queue = { isPaused: async () => false } as unknown as Queue;
    const seesWorkers = async () => {
      if (others.areUnknown) throw new Error('MongoDB is away');
      return others.see ?? false;
    };
    return new LabelWorkers({ redis, prefix, queue, processes: { seesWorkers }, log: console });
  });
const outcomeOf = (workers: LabelWorkers) =>
  workers.requireSome().then(
    () => 'ok',
    (error) => (error instanceof MissingHere ? 'missing here' : 'missing'),
  );

test('an api that has seen no worker goes by what others see', async ({ workers, others, fleet }) => {
  expect([await outcomeOf(workers), workers.areSeen]).toEqual(['missing', false]);
  others.areUnknown = true;
  expect(await outcomeOf(workers)).toBe('missing');
  others.areUnknown = false;
  others.see = true;
  expect(await outcomeOf(workers)).toBe('missing here');
  await fleet.keepAlive(workerBeat('first'));
  expect([await outcomeOf(workers), workers.areSeen]).toEqual(['ok', true]);
});

test('an api that has seen a worker stays ready, whatever others see', async ({ workers, others, fleet }) => {
  await fleet.keepAlive(workerBeat('restarts'));
  await workers.read();
  await fleet.remove('restarts');
  others.see = true; // by what another api wrote before
  passTime(15_000);
  expect([await outcomeOf(workers), workers.areSeen]).toEqual(['ok', false]);
  passTime(31_000);
  expect(await outcomeOf(workers)).toBe('missing');
});

test('what an api says of workers counts as long as their heartbeats live', async ({ stores }) => {
  const registry = new ProcessRegistry(stores.mongo, stores.prefix);
  const processes = stores.mongo.collection<{ _id: string; at: Date }>('processes');
  await registry.write({ id: 'killed', service: 'api', host: 'otra', pid: 8, seesWorkers: true });
  expect(await registry.seesWorkers()).toBe(true);
  const written = await processes.findOne({ _id: 'killed' });
  const at = new Date(Number(written?.at) - 7_001);
  await processes.updateOne({ _id: 'killed' }, { $set: { at } });
  expect(await registry.seesWorkers()).toBe(false);
  expect(await registry.alive()).toMatchObject([{ id: 'killed', at: at.getTime() }]);
});

test('the entry of a process that closed is nobody elsewhere, unless it is written again', async ({
  stores,
}) => {
  const { mongo, redis, prefix } = stores;
  const registry = new ProcessRegistry(mongo, `${prefix}-closed`);
  const read = elsewhereReader({ processes: registry, redis, prefix });
  await registry.write({ id: 'closed', service: 'webhooks', host: 'otra', pid: 8 });
  for (const _ of ['first', 'again']) expect(await read()).toEqual([]);
  const processes = mongo.collection<{ _id: string; at: Date }>('processes');
  const written = await processes.findOne({ _id: 'closed' });
  const at = new Date(Number(written?.at) + 5_000);
  await processes.updateOne({ _id: 'closed' }, { $set: { at } });
  for (const _ of ['first', 'again']) expect(await read()).toMatchObject([{ id: 'closed' }]);
});
