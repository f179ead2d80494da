import type { Connection, mongo } from 'mongoose';

/** Returns the driver's own collection of guides: mongoose would cast updates that are pipelines. */
export function guidesOfDriver<G extends { _id: string }>(connection: Connection): mongo.Collection<G> {
  return connection.getClient().db(connection.name).collection<G>('guides');
}

/** A stretch of guides by ascending number: those after one number, up to and with another. */
export type GuideStep = { after: string; upTo: string; count: number };

/**
 * Walks over all guides by ascending number, in steps of `size`, so that no query takes long however many there are. A guide
 * that is created meanwhile may be in a later step or in none.
 *
 * @param from the number after which the walk begins: where an earlier one stopped.
 */
export async function* guideSteps<G extends { _id: string }>(
  guides: mongo.Collection<G>,
  size: number,
  from = '',
): AsyncGenerator<GuideStep> {
  for (let after = from; ; ) {
    const step = await guides
      .find({ _id: { $gt: after } } as mongo.Filter<G>)
      .project<{ _id: string }>({ _id: 1 })
      .sort({ _id: 1 })
      .limit(size)
      .toArray();
    const upTo = step.at(-1)?._id;
    if (upTo === undefined) return;
    yield { after, upTo, count: step.length };
    after = upTo;
  }
}

/** Selects the guides of a step. */
export function inStep({ after, upTo }: Pick<GuideStep, 'after' | 'upTo'>) {
  return { _id: { $gt: after, $lte: upTo } };
}
