import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { repeat } from '#shared/async/repeat.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';

test('work that takes longer is given up, by its name', async () => {
  await expect(withTimeout(1, 'Waiting', new Promise(() => {}))).rejects.toThrow(
    'Waiting took longer than 1 ms',
  );
});

test('work that ended while the event loop was blocked is not late', async () => {
  await new Promise(setImmediate); // after this phase of the event loop come the timers, before any answer
  const answer = withTimeout(50, 'Asking', stat('.'));
  const until = performance.now() + 300;
  while (performance.now() < until);
  expect((await answer).isDirectory()).toBe(true);
});

test('work that is under way is shared; after its end, also a failure, it is done again', async () => {
  const flight = new SingleFlight<number>();
  let runs = 0;
  const work = async () => {
    if (++runs === 1) throw new Error('away');
    return runs;
  };
  await expect(flight.run(work)).rejects.toThrow('away');
  expect(await Promise.all([flight.run(work), flight.run(work), flight.run(work, 'other')])).toEqual([
    2, 2, 3,
  ]);
  expect(await flight.run(work)).toBe(4);
});

test('repeated work goes on after a failure until it is stopped, which waits for its end', async () => {
  const said: string[] = [];
  const log = { failed: (error: unknown) => said.push(String(error)), succeeded: () => said.push('well') };
  const second = Promise.withResolvers<void>();
  let runs = 0;
  let isOver = false;
  const stop = repeat(
    async (signal) => {
      if (++runs === 1) throw new Error('away');
      second.resolve();
      await once(signal, 'abort');
      isOver = true;
    },
    { pauseMs: 60_000, retryMs: 1, log },
  );
  await second.promise;
  await stop();
  expect([isOver, runs, said]).toEqual([true, 2, ['Error: away', 'well']]);
});
