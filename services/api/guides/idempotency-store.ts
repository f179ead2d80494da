import { type Connection, type Model, mongo, Schema } from 'mongoose';
import { DomainError } from '#shared/errors.ts';
import { DUPLICATE_KEY } from '#shared/stores/mongo.ts';
import type { BranchOfGuide } from './guide-store.ts';
import type { BodyHashes } from './idempotency-key.ts';

const DAY_MS = 24 * 3_600_000;
/** How often a key may expire between two looks at it before the caller is to come again. */
const MAX_LOOKS = 3;

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
/** A key of release 1.1 has no `canonicalHash`. */
type Reservation = CreationPlan & { _id: string; bodyHash: string; canonicalHash?: string; expiresAt: Date };

/**
 * Idempotency keys in MongoDB. The plan of a creation is stored under its key before any guide is, so that a
 * repetition, also a concurrent one or one after a crash, makes or finds exactly the same guides.
 */
export class IdempotencyStore {
  readonly #keys: Model<Reservation>;
  readonly #keptMs: number;

  /** @param days for which a key is remembered. */
  constructor(connection: Connection, days: number) {
    this.#keptMs = days * DAY_MS;
    const branch = { _id: false, code: String, name: String };
    this.#keys = connection.model<Reservation>(
      'IdempotencyKey',
      new Schema<Reservation>(
        {
          _id: String,
          bodyHash: String,
          canonicalHash: String,
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
    hashes: BodyHashes,
    make: () => Promise<CreationPlan>,
  ): Promise<{ plan: CreationPlan; repeated: boolean }> {
    let made: CreationPlan | undefined;
    for (let look = 0; look < MAX_LOOKS; look++) {
      const stored = await this.#keys.findById(key).lean();
      if (stored) {
        if (!isSameBody(stored, hashes)) throw new DomainError('idempotency-key-reused');
        return { plan: stored, repeated: true };
      }
      made ??= await make();
      const expiresAt = new Date(Date.now() + this.#keptMs);
      if (await this.#insert({ _id: key, ...hashes, expiresAt, ...made }))
        return { plan: made, repeated: false };
    }
    throw new DomainError('unavailable');
  }

  /**
   * Gives a creation that was aborted a new id and new numbers, unless a concurrent request has done so.
   *
   * @returns the plan that is stored now.
   * @throws DomainError `unavailable` when the key has expired meanwhile.
   */
  async replan(
    key: string,
    aborted: string,
    fresh: Pick<CreationPlan, 'creation' | 'numbers'>,
  ): Promise<CreationPlan> {
    await this.#keys.updateOne({ _id: key, creation: aborted }, { $set: fresh });
    const plan = await this.#keys.findById(key).lean();
    if (!plan) throw new DomainError('unavailable');
    return plan;
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

function isSameBody(stored: Reservation, { canonicalHash, bodyHash }: BodyHashes): boolean {
  return stored.canonicalHash ? stored.canonicalHash === canonicalHash : stored.bodyHash === bodyHash;
}
