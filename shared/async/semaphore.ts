import { Semaphore, withTimeout } from 'async-mutex';
import { DomainError } from '#shared/errors.ts';

/** Most that wait for a permit: it bounds memory, and what waits behind so many waits in vain. */
const MAX_QUEUED = 1_000;

/**
 * Bounds how much costly work runs at a time, first come first served, so that the rest of the machine stays free.
 *
 * @param permits how much of the work may run at a time. @param timeoutMs longest wait for a permit.
 * @returns a function that runs the work given to it. It throws DomainError `unavailable` when too much waits
 * already, or no permit comes in time.
 */
export function createSemaphore(permits: number, timeoutMs: number) {
  const late = new Error(`No permit within ${timeoutMs} ms`);
  const semaphore = withTimeout(new Semaphore(permits), timeoutMs, late);
  let queued = 0;

  async function acquire(): Promise<() => void> {
    if (queued >= MAX_QUEUED) throw new DomainError('unavailable');
    queued++;
    try {
      const [, release] = await semaphore.acquire();
      return release;
    } catch (cause) {
      throw new DomainError('unavailable', { cause });
    } finally {
      queued--;
    }
  }

  return async <T>(work: () => Promise<T>): Promise<T> => {
    const release = await acquire();
    try {
      return await work();
    } finally {
      release();
    }
  };
}
