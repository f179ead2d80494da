import DataLoader from 'dataloader';

/**
 * Calls of one moment (a turn of the event loop) as one: callers who had their answers together ask again together.
 * A call that is alone goes out at once, and nothing is remembered.
 *
 * @param run the answers, in the order of the calls; where it throws, each of them does.
 * @param atMost so many calls are one; those beyond are the next one.
 */
export function batchLoader<Call, Answer>(
  run: (calls: readonly Call[]) => Promise<Answer[]>,
  atMost: number,
): (call: Call) => Promise<Answer> {
  const loader = new DataLoader(run, {
    cache: false,
    maxBatchSize: atMost,
    batchScheduleFn: (send) => setImmediate(send),
  });
  return (call) => loader.load(call);
}
