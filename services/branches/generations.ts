import { type Connection, type Model, Schema, trusted } from 'mongoose';
import { DomainError } from '#shared/errors.ts';

declare module '#shared/errors.ts' {
  interface ErrorCodes {
    /** A load that began later is in force. */
    overtaken: unknown;
  }
}

/** What is loaded as a whole. */
export type Kind = 'branches' | 'coverage';
/** The numbers of the loads that are in force; 0 is none. */
export type Generation = Readonly<Record<Kind, number>>;
type Current = { _id: string } & Record<Kind, number>;
type Counter = { _id: string; last: number };

/** The generation of the branches and of the coverage that is in force, in MongoDB. Each load is a new generation. */
export class Generations {
  readonly #current: Model<Current>;
  readonly #counter: Model<Counter>;

  constructor(connection: Connection) {
    const options = { versionKey: false, strict: true } as const;
    this.#current = connection.model<Current>(
      'CurrentGeneration',
      new Schema<Current>({ _id: String, branches: Number, coverage: Number }, options),
      'generations',
    );
    this.#counter = connection.model<Counter>(
      'GenerationCounter',
      new Schema<Counter>({ _id: String, last: Number }, options),
      'generations',
    );
  }

  /** @param timeoutMS longest wait for the answer, in ms. */
  async current(timeoutMS: number): Promise<Generation> {
    const stored = await this.#current.findById('current').setOptions({ timeoutMS }).lean();
    return stored ?? { branches: 0, coverage: 0 };
  }

  /** Returns a number that no other load has: the higher of two began later. */
  async next(): Promise<number> {
    const { last } = await this.#counter
      .findOneAndUpdate(
        { _id: 'counter' },
        { $inc: { last: 1 } },
        { upsert: true, returnDocument: 'after', lean: true },
      )
      .orFail();
    return last;
  }

  /** Puts a generation in force. @throws DomainError `overtaken` when a load that began later already is. */
  async activate(kind: Kind, generation: number): Promise<void> {
    await this.#current.updateOne(
      { _id: 'current' },
      { $setOnInsert: { branches: 0, coverage: 0 } },
      { upsert: true },
    );
    const { matchedCount } = await this.#current.updateOne(
      { _id: 'current', [kind]: trusted({ $lt: generation }) },
      { $set: { [kind]: generation } },
    );
    if (matchedCount === 0) throw new DomainError('overtaken');
  }
}
