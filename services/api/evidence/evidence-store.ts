import type { Connection } from 'mongoose';
import { EVIDENCE, type Evidence } from '#shared/evidence/evidence-model.ts';
import { driverOf, modelOf, type StoredModel, unfinishedIds } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { isDuplicateKey } from '#shared/stores/mongo.ts';

/** A majority of the servers has what is read: no failover takes it back. */
const MAJORITY = 'majority';

/** What is known of pictures, in MongoDB: a document each, whose `_id` keeps an event from two pictures in one place. */
export class EvidenceStore {
  readonly clock: DatabaseClock;
  readonly #evidence: StoredModel<Evidence>;

  constructor(connection: Connection) {
    this.clock = new DatabaseClock(connection);
    this.#evidence = modelOf(connection, EVIDENCE);
  }

  async find(_id: string): Promise<Evidence | undefined> {
    return (await this.#evidence.findOne({ _id }).readConcern(MAJORITY).lean()) ?? undefined;
  }

  /** Returns what is known of all pictures of a guide. */
  async ofGuide(guide: string): Promise<Map<string, Evidence>> {
    const found = await this.#evidence.find({ guide }).readConcern(MAJORITY).sort({ _id: 1 }).lean();
    return new Map(found.map((each) => [each._id, each]));
  }

  /** Begins to store a picture. @returns what is stored: this one, or that of another request. */
  async begin(evidence: Evidence): Promise<Evidence | undefined> {
    try {
      await driverOf(this.#evidence).insertOne(evidence);
      return evidence;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return this.find(evidence._id);
    }
  }

  /** Says that the bytes are stored. @returns false if a sweep was quicker: then they are deleted. */
  async keep({ _id, key }: Evidence): Promise<boolean> {
    const filter = { _id, key, state: { $in: ['storing', 'kept'] as const } };
    return (await this.#evidence.updateOne(filter, { $set: { state: 'kept' } })).matchedCount === 1;
  }

  /** Says that the entry of a picture is in the log. */
  async done({ _id, key }: Evidence): Promise<void> {
    await this.#evidence.updateOne({ _id, key, state: 'kept' }, { $unset: { openSince: 1 } });
  }

  /** Takes a picture that nobody has seen back. @returns false if its state has changed meanwhile. */
  async abandon({ _id, key, state }: Evidence): Promise<boolean> {
    const { matchedCount } = await this.#evidence.updateOne(
      { _id, key, state },
      { $set: { state: 'abandoned' } },
    );
    return matchedCount === 1;
  }

  /** Ends the work on a picture whose bytes are deleted. */
  async forget({ _id, key, state }: Evidence): Promise<void> {
    if (state === 'abandoned') await this.#evidence.deleteOne({ _id, key, state });
    else await this.#evidence.updateOne({ _id, key, state }, { $unset: { openSince: 1 } });
  }

  /** Returns the pictures on which there is work to do, the oldest first. */
  unfinishedIds(): Promise<string[]> {
    return unfinishedIds(this.#evidence);
  }
}

/** Returns the id of a picture of an event. */
export function evidenceId(guide: string, event: string, picture: string): string {
  return `${guide} ${event} ${picture}`;
}
