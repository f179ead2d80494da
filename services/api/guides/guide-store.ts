import { type Connection, type Model, mongo, Schema, trusted } from 'mongoose';
import type { Guide, ServiceType } from '#shared/contracts/guide.ts';
import { batchLoader } from '../batch-loader.ts';

/** A branch with its name on the day of creation: a label that is printed again must not change. */
export type BranchOfGuide = { code: string; name: string };

export type GuideRecord = {
  number: string;
  /** Id of the creation that made this guide; tells it from another guide that was given the same number. */
  creation: string;
  /** API user who created this guide; others see it only with `guias.read.all`. */
  username: string;
  /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
  createdAt: string;
  status: 'Documentado';
  service: ServiceType;
  origin: BranchOfGuide;
  destination: BranchOfGuide;
  /** MXN; 0 on creation (docs/contract.md "Guides"). */
  freight: number;
  total: number;
  guide: Guide;
};
type GuideDocument = Omit<GuideRecord, 'number'> & { _id: string };

type Wanted = { number: string; username: string | undefined };

/** MongoDB's code for a document whose `_id` is stored already. */
export const DUPLICATE_KEY = 11_000;

/** Look-ups in one query. */
const MAX_BATCHED_FINDS = 100;
/** Creations in one write. */
const MAX_BATCHED_CREATIONS = 25;
/** A creation with more guides is written alone: nobody waits for somebody else's five hundred. */
const MAX_BATCHED_GUIDES = 20;

/** Guides in MongoDB. The number is the `_id`, so the one look-up that every label needs is by primary key. */
export class GuideStore {
  readonly #guides: Model<GuideDocument>;
  readonly #find = batchLoader((wanted: readonly Wanted[]) => this.#findAll(wanted), MAX_BATCHED_FINDS);
  readonly #insertInBatch = batchLoader(
    (creations: readonly (readonly GuideRecord[])[]) => this.#insertBatch(creations),
    MAX_BATCHED_CREATIONS,
  );

  constructor(connection: Connection) {
    const branch = { code: String, name: String };
    this.#guides = connection.model<GuideDocument>(
      'Guide',
      new Schema<GuideDocument>(
        {
          _id: String,
          creation: String,
          username: String,
          createdAt: String,
          status: String,
          service: String,
          origin: branch,
          destination: branch,
          freight: Number,
          total: Number,
          guide: Schema.Types.Mixed,
        },
        { versionKey: false, minimize: false },
      ),
      'guides',
    );
  }

  /**
   * Stores the guides of one creation, in one round trip.
   *
   * @returns the guides that were not stored, since their number is taken.
   */
  insert(records: readonly GuideRecord[]): Promise<GuideRecord[]> {
    return records.length > MAX_BATCHED_GUIDES ? this.#insertMany(records) : this.#insertInBatch(records);
  }

  async #insertBatch(creations: readonly (readonly GuideRecord[])[]): Promise<GuideRecord[][]> {
    const refused = new Set(await this.#insertMany(creations.flat()));
    return creations.map((records) => records.filter((record) => refused.has(record)));
  }

  async #insertMany(records: readonly GuideRecord[]): Promise<GuideRecord[]> {
    try {
      const documents = records.map(({ number, ...guide }): GuideDocument => ({ _id: number, ...guide }));
      await this.#guides.insertMany(documents, { lean: true, ordered: false });
      return [];
    } catch (error) {
      if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
      const failures = [error.writeErrors].flat();
      // Empty when the connection broke: that is a bulk write error too, and nobody knows what was stored.
      const duplicates = failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
      if (!duplicates) throw error;
      return failures.flatMap(({ index }) => records[index] ?? []);
    }
  }

  /** Returns the guides of a creation that are not stored: never written, or the number is another guide's. */
  async findMissing(records: readonly GuideRecord[]): Promise<GuideRecord[]> {
    const creation = records[0]?.creation ?? '';
    const numbers = records.map(({ number }) => number);
    const stored = await this.#guides.find({ _id: trusted({ $in: numbers }), creation }, { _id: 1 }).lean();
    const present = new Set(stored.map(({ _id }) => _id));
    return records.filter(({ number }) => !present.has(number));
  }

  /**
   * Returns the guide with this number.
   *
   * @param username whose guide it must be; without it, anybody's. The database checks, so that another's guide is not
   * even read, and costs the same time as one that does not exist.
   */
  find(number: string, username?: string): Promise<GuideRecord | undefined> {
    return this.#find({ number, username });
  }

  async #findAll(wanted: readonly Wanted[]): Promise<(GuideRecord | undefined)[]> {
    const byOwner = Map.groupBy(wanted, ({ username }) => username);
    const finds = [...byOwner].map(async ([username, wanted]) => {
      const _id = trusted({ $in: wanted.map(({ number }) => number) });
      const documents = await this.#guides.find({ _id, ...(username !== undefined && { username }) }).lean();
      const records = documents.map(({ _id: number, ...guide }) => [number, { number, ...guide }] as const);
      return [username, new Map(records)] as const;
    });
    const found = new Map(await Promise.all(finds));
    return wanted.map(({ number, username }) => found.get(username)?.get(number));
  }
}
