import { type Connection, type Model, mongo, Schema } from 'mongoose';
import { DomainError } from '#shared/errors.ts';
import { DUPLICATE_KEY } from '#shared/stores/mongo.ts';
import type { BranchOfGuide } from './guide-store.ts';
import { KEPT_HOURS } from './idempotency-key.ts';

const KEPT_MS = KEPT_HOURS * 3_600 * 1_000;

/** All that a creation decides beyond its request: the same plan and body make the same guides. */
export type CreationPlan = {
  creation: string;
  createdAt: string;
  /** A plan of before release 1.2 has none. */
  createdUtc?: Date;
  origin: BranchOfGuide;
  /** One number and one destination for each guide of the request, in its order. */
  numbers: string[];
  destinations: BranchOfGuide[];
};
type Reservation = CreationPlan & { _id: string; bodyHash: string; expiresAt: Date };

/**
 * Idempotency keys in MongoDB. The plan of a creation is stored under its key before any guide is, so that a
 * repetition, also a concurrent one or one after a crash, makes or finds exactly the same guides.
 */
export class IdempotencyStore {
  readonly #keys: Model<Reservation>;

  constructor(connection: Connection) {
    const branch = { _id: false, code: String, name: String };
    this.#keys = connection.model<Reservation>(
      'IdempotencyKey',
      new Schema<Reservation>(
        {
          _id: String,
          bodyHash: String,
          expiresAt: { type: Date, index: { expireAfterSeconds: 0 } },
          creation: String,
          createdAt: String,
          createdUtc: Date,
          origin: branch,
          numbers: [String],
          destinations: [branch],
        },
        { versionKey: false },
      ),
      'idempotency_keys',
    );
  }

  /** Creates the index by which keys expire. */
  async open(): Promise<void> {
    await this.#keys.createIndexes();
  }

  /**
   * Reserves a key: returns the plan that is stored under it, or stores the one that `make` returns.
   *
   * @throws DomainError `idempotency-key-reused` when the key stands for another body.
   */
  async reserve(
    key: string,
    bodyHash: string,
    make: () => Promise<CreationPlan>,
  ): Promise<{ plan: CreationPlan; repeated: boolean }> {
    const known = await this.#keys.findById(key).lean();
    if (!known) {
      const plan = await make();
      if (await this.#insert({ _id: key, bodyHash, expiresAt: new Date(Date.now() + KEPT_MS), ...plan })) {
        return { plan, repeated: false };
      }
    }
    const stored = known ?? (await this.#keys.findById(key).orFail().lean());
    if (stored.bodyHash !== bodyHash) throw new DomainError('idempotency-key-reused');
    return { plan: stored, repeated: true };
  }

  /**
   * Replaces a number that turned out to be another guide's.
   *
   * @throws DomainError `unavailable` when a concurrent request has replaced it already.
   */
  async renumber(key: string, taken: string, fresh: string): Promise<void> {
    const { matchedCount } = await this.#keys.updateOne(
      { _id: key, numbers: taken },
      { $set: { 'numbers.$': fresh } },
    );
    if (matchedCount === 0) throw new DomainError('unavailable');
  }

  /** @returns false when a concurrent request was first. */
  async #insert(reservation: Reservation): Promise<boolean> {
    try {
      await this.#keys.insertMany([reservation], { lean: true });
      return true;
    } catch (error) {
      if (error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY) return false;
      throw error;
    }
  }
}
