import { DomainError } from '#shared/errors.ts';

/** Most that wait for their turn: it bounds memory, and what waits behind so many waits in vain. */
const MOST_WAITING = 1_000;

/**
 * Does costly work by turns, in the order in which it came, so that it leaves something of the machine to others.
 *
 * @param atATime how much of it may run at a time. @param deadlineMs longest wait for its turn.
 * @returns runs the work given to it. @throws DomainError `unavailable` when its turn does not come in time.
 */
export function byTurns(atATime: number, deadlineMs: number) {
  let running = 0;
  const waiting = new Set<() => void>();

  function turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = () => {
      clearTimeout(timer);
      waiting.delete(begin);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(begin);
      reject(new DomainError('unavailable', { cause: new Error(`no turn within ${deadlineMs} ms`) }));
    }, deadlineMs);
    waiting.add(begin);
    return promise;
  }

  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.size >= MOST_WAITING) throw new DomainError('unavailable');
    if (running < atATime) running++;
    else await turn();
    try {
      return await work();
    } finally {
      const [next] = waiting; // its turn is handed on, so the number that run stays
      if (next) next();
      else running--;
    }
  };
}
