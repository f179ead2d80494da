import type { Queue } from 'bullmq';
import { expect } from 'vitest';
import { LabelWorkers } from '#services/api/labels/label-workers.ts';
import { MissingHere } from '#shared/stores/dependencies.ts';
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

test('a worker that restarts makes no api unready', async ({ workers, others, fleet }) => {
  await fleet.keepAlive(workerBeat('restarts'));
  await workers.read();
  await fleet.remove('restarts');
  others.see = true; // by what another api wrote before
  passTime(15_000);
  expect([await outcomeOf(workers), workers.areSeen]).toEqual(['ok', false]);
  passTime(31_000);
  expect(await outcomeOf(workers)).toBe('missing here');
  others.see = false;
  expect(await outcomeOf(workers)).toBe('missing');
});
