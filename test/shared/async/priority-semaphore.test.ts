import { describe, expect, it } from 'vitest';
import { PrioritySemaphore } from '#shared/async/priority-semaphore.ts';

const FOREVER = 100_000;

describe('a semaphore', () => {
  it('gives as many permits as it has, and the next one when one is given back', async () => {
    const semaphore = new PrioritySemaphore({ permits: 2, maxWaiting: 10, timeoutMs: FOREVER });
    const releases = [await semaphore.acquire([0]), await semaphore.acquire([0])];
    let got = false;
    const third = semaphore.acquire([0]).then(() => {
      got = true;
    });
    await Promise.resolve();
    expect(got).toBe(false);
    releases[0]?.();
    await third;
    expect(got).toBe(true);
  });

  it('serves by rank, number by number, and equals in the order of arrival', async () => {
    const semaphore = new PrioritySemaphore({ permits: 1, maxWaiting: 10, timeoutMs: FOREVER });
    const release = await semaphore.acquire([0, 0]);
    const order: string[] = [];
    const wait = async (name: string, rank: number[]) => {
      const done = await semaphore.acquire(rank);
      order.push(name);
      done();
    };
    const all = [
      wait('e', [2, 0]),
      wait('c', [1, 1]),
      wait('d', [1, 1]),
      wait('b', [1, 0]),
      wait('a', [0, 9]),
    ];
    release();
    await Promise.all(all);
    expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('refuses the last of those who wait when they are too many, be it the newcomer or not', async () => {
    const semaphore = new PrioritySemaphore({ permits: 1, maxWaiting: 2, timeoutMs: FOREVER });
    const release = await semaphore.acquire([0]);
    const [middle, last] = [semaphore.acquire([5]), semaphore.acquire([9])];
    const first = semaphore.acquire([1]);
    await expect(last).rejects.toThrow('More than 2 wait for a permit');
    await expect(semaphore.acquire([5])).rejects.toThrow('More than 2 wait for a permit');
    release();
    (await first)();
    (await middle)();
  });

  it('refuses who waits too long, and passes the permit to those who still wait', async () => {
    const semaphore = new PrioritySemaphore({ permits: 1, maxWaiting: 2, timeoutMs: 1 });
    const release = await semaphore.acquire([0]);
    await expect(semaphore.acquire([0])).rejects.toThrow('No permit within 1 ms');
    release();
    (await semaphore.acquire([9]))();
  });
});
