import { setTimeout as sleep } from 'node:timers/promises';

/** An answer that is not what was asked for. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    super(`${status}: ${body}`);
    this.status = status;
  }
}

/** What a load came to. `perSecond` and `latencies` (ms) are those of the answers that were served. */
export type Load = {
  seconds: number;
  perSecond: number;
  latencies: number[];
  refusals: { status: number; ms: number }[];
};

/** `concurrency` callers, each of which waits for its answer before it takes the next item. */
export async function inParallel<T>(
  items: readonly T[],
  concurrency: number,
  send: (item: T) => Promise<unknown>,
): Promise<Load> {
  const record = newRecord();
  const rest = items.values();
  const caller = async () => {
    for (const item of rest) await record.of(send(item), performance.now());
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return record.end();
}

/**
 * One item after the other at a fixed rate, whatever the answers do. A latency counts from the moment at which
 * the item was due: a generator that is held up must not make the answers look faster.
 */
export function atRate<T>(
  items: readonly T[],
  perSecond: number,
  send: (item: T) => Promise<unknown>,
): Promise<Load> {
  const due = items.map((_, index) => (index * 1_000) / perSecond);
  return atTimes(items, due, send);
}

/** The same by a Poisson process, as from many customers who know nothing of each other: some items come close together. */
export function atRandom<T>(
  items: readonly T[],
  perSecond: number,
  send: (item: T) => Promise<unknown>,
): Promise<Load> {
  let last = 0;
  const due = items.map(() => {
    last -= (Math.log(1 - Math.random()) * 1_000) / perSecond;
    return last;
  });
  return atTimes(items, due, send);
}

/** @param times when each item is due, in ms from now. */
async function atTimes<T>(
  items: readonly T[],
  times: readonly number[],
  send: (item: T) => Promise<unknown>,
): Promise<Load> {
  const record = newRecord();
  const answers: Promise<void>[] = [];
  const started = performance.now();
  for (const [index, item] of items.entries()) {
    const due = started + (times[index] ?? 0);
    const waitMs = due - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    answers.push(record.of(send(item), due));
  }
  await Promise.all(answers);
  return record.end();
}

function newRecord() {
  const started = performance.now();
  const latencies: number[] = [];
  const refusals: Load['refusals'] = [];
  return {
    async of(answer: Promise<unknown>, since: number): Promise<void> {
      try {
        await answer;
        latencies.push(performance.now() - since);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refusals.push({ status: error.status, ms: performance.now() - since });
      }
    },
    end(): Load {
      const seconds = (performance.now() - started) / 1_000;
      return { seconds, perSecond: latencies.length / seconds, latencies, refusals };
    },
  };
}

/** Does one thing after the other until `stop`, which returns how long each took, in ms. */
export function untilStopped(once: () => Promise<unknown>): { stop(): Promise<number[]> } {
  let stopped = false;
  const doing = (async () => {
    const latencies: number[] = [];
    while (!stopped) latencies.push(...(await inParallel([0], 1, once)).latencies);
    return latencies;
  })();
  const stop = () => {
    stopped = true;
    return doing;
  };
  return { stop };
}
