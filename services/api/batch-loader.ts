import DataLoader from 'dataloader';

/**
 * Batches all calls made in one event-loop turn into a single round trip (DataLoader without a cache). A call that is
 * alone goes out at once, and no answer is kept (docs/decisions/0012-batching-calls-of-one-turn.md).
 *
 * @param run answers a batch, in the order of its calls; when it throws, each of them fails; an
 * Error in place of an answer fails its call alone.
 * @param maxBatchSize most calls in a batch; further ones form the next.
 */
export function batchLoader<Call, Answer>(
  run: (calls: readonly Call[]) => Promise<(Answer | Error)[]>,
  maxBatchSize: number,
): (call: Call) => Promise<Answer> {
  const loader = new DataLoader(run, {
    cache: false,
    maxBatchSize,
    batchScheduleFn: (send) => setImmediate(send),
  });
  return (call) => loader.load(call);
}
