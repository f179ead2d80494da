import { type Connection, type Model, Schema, trusted } from 'mongoose';
import { DomainError } from '#shared/errors.ts';
import { DUPLICATE_KEY, writeErrorsOf } from '#shared/stores/mongo.ts';
import { batchLoader } from '../../batch-loader.ts';

/** How a creation of several guides ended, for good. */
export type Outcome = 'created' | 'aborted';
type OutcomeDocument = { _id: string; outcome: Outcome; expiresAt?: Date };

/** Creations in one write. */
const MAX_BATCHED = 100;
/** How long an outcome is kept that nobody needs: a write that is still under way finds it, in ms. */
const KEPT_MS = 24 * 3_600_000;

/**
 * How creations of several guides ended, in MongoDB (docs/decisions/0024-creations-end-once.md). The id of the creation
 * is the `_id`, so whoever comes first decides, over all processes: a creation is never both created and aborted.
 *
 * The outcome `created` stays until none of its guides is pending; only then does it expire.
 */
export class CreationOutcomes {
  readonly #outcomes: Model<OutcomeDocument>;
  readonly #commit = batchLoader((ids: readonly string[]) => this.#decide(ids, 'created'), MAX_BATCHED);

  constructor(connection: Connection) {
    this.#outcomes = connection.model<OutcomeDocument>(
      'Creation',
      new Schema<OutcomeDocument>(
        {
          _id: String,
          outcome: String,
          expiresAt: { type: Date, index: { expireAfterSeconds: 0 } },
        },
        { versionKey: false },
      ),
      'creations',
    );
  }

  /** Creates the index by which outcomes expire. */
  async open(): Promise<void> {
    await this.#outcomes.createIndexes();
  }

  /** Makes the guides of a creation visible, all at once, unless it was aborted. @returns how it ended. */
  commit(creation: string): Promise<Outcome> {
    return this.#commit(creation);
  }

  /** Aborts the creations that have not ended. @returns how each of them ended, in their order. */
  abort(creations: readonly string[]): Promise<(Outcome | Error)[]> {
    return this.#decide(creations, 'aborted');
  }

  /** Returns how creations ended; those that have not are absent. */
  async of(creations: readonly string[]): Promise<Map<string, Outcome>> {
    const found = await this.#outcomes
      .find({ _id: trusted({ $in: creations }) })
      .readConcern('majority')
      .lean();
    return new Map(found.map(({ _id, outcome }) => [_id, outcome]));
  }

  /** Leaves out the guides of creations that have not ended, or were aborted: of a batch all can be read, or none. */
  async visible<G extends { creation: string; pendingUntil?: Date }>(
    guides: readonly G[],
  ): Promise<readonly G[]> {
    const waiting = guides.filter(({ pendingUntil }) => pendingUntil);
    if (waiting.length === 0) return guides;
    const outcomes = await this.of(waiting.map(({ creation }) => creation));
    return guides.filter(
      ({ pendingUntil, creation }) => !pendingUntil || outcomes.get(creation) === 'created',
    );
  }

  /** Lets outcomes expire of which no guide is pending any more. */
  async forget(creations: readonly string[]): Promise<void> {
    await this.#outcomes.updateMany(
      { _id: trusted({ $in: creations }) },
      { $set: { expiresAt: keptUntil() } },
    );
  }

  async #decide(creations: readonly string[], outcome: Outcome): Promise<(Outcome | Error)[]> {
    const first = await this.#insert(
      creations.map((_id) => ({ _id, outcome, ...(outcome === 'aborted' && { expiresAt: keptUntil() }) })),
    );
    if (first) return creations.map(() => outcome);
    const ended = await this.of(creations);
    // Stored, but not yet by a majority: whoever asks again learns it.
    return creations.map((creation) => ended.get(creation) ?? new DomainError('unavailable'));
  }

  /** @returns false when one of them had ended before. */
  async #insert(outcomes: OutcomeDocument[]): Promise<boolean> {
    try {
      await this.#outcomes.insertMany(outcomes, { lean: true, ordered: false });
      return true;
    } catch (error) {
      const failures = writeErrorsOf(error);
      if (failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY)) return false;
      throw error;
    }
  }
}

function keptUntil(): Date {
  return new Date(Date.now() + KEPT_MS);
}
