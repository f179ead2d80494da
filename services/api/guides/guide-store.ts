import { type Connection, type Model, mongo, Schema, trusted } from 'mongoose';
import type { Guide, ServiceType } from '#shared/contracts/guide.ts';
import { DUPLICATE_KEY } from '#shared/stores/mongo.ts';
import { batchLoader } from '../batch-loader.ts';

/** A branch with its name on the day of creation: a label that is printed again must not change. */
export type BranchOfGuide = { code: string; name: string };

export type GuideRecord = {
  number: string;
  /** Id of the creation that made this guide; tells it from another guide that was given the same number. */
  creation: string;
  /** API user who created this guide. */
  username: string;
  /** Account whose users see this guide; others see it only with `guias.read.all`. */
  account: string;
  /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
  createdAt: string;
  /** The same moment in UTC. Guides of before release 1.2 have none. */
  createdUtc?: Date;
  status: 'Documentado';
  service: ServiceType;
  origin: BranchOfGuide;
  destination: BranchOfGuide;
  /** MXN; 0 on creation (docs/contract.md "Guides"). */
  freight: number;
  total: number;
  guide: Guide;
};
/** A guide of before release 1.2 has no account: it is in the one of its creator's name. */
type GuideDocument = Omit<GuideRecord, 'number' | 'account'> & { _id: string; account?: string };

type Wanted = { number: string; account: string | undefined };

/** Guides that one step of a move looks at. */
const MOVED_AT_A_TIME = 5_000;
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
          account: String,
          createdAt: String,
          createdUtc: Date,
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
   * @param account whose guide it must be; without it, anybody's. The database checks, so that another's guide is not
   * even read, and costs the same time as one that does not exist.
   */
  find(number: string, account?: string): Promise<GuideRecord | undefined> {
    return this.#find({ number, account });
  }

  async #findAll(wanted: readonly Wanted[]): Promise<(GuideRecord | undefined)[]> {
    const byAccount = Map.groupBy(wanted, ({ account }) => account);
    const finds = [...byAccount].map(async ([account, wanted]) => {
      const _id = trusted({ $in: wanted.map(({ number }) => number) });
      const documents = await this.#guides
        .find({ _id, ...(account !== undefined && guidesOf(account)) })
        .lean();
      return [account, new Map(documents.map((document) => [document._id, asRecord(document)]))] as const;
    });
    const found = new Map(await Promise.all(finds));
    return wanted.map(({ number, account }) => found.get(account)?.get(number));
  }

  /**
   * Moves the guides that a user created to an account, in steps of ascending numbers, so that no step takes long
   * however many guides there are. Interrupted, it may be called again.
   *
   * @returns how many guides were looked at in each step, as it is done.
   */
  async *moveToAccount(username: string, account: string): AsyncGenerator<number> {
    let last = '';
    while (true) {
      const step = await this.#guides
        .find({ _id: trusted({ $gt: last }) }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(MOVED_AT_A_TIME)
        .lean();
      const end = step.at(-1)?._id;
      if (end === undefined) return;
      await this.#guides.updateMany(
        { _id: trusted({ $gt: last, $lte: end }), username },
        { $set: { account } },
      );
      last = end;
      yield step.length;
    }
  }
}

/** Selects the guides of an account. */
function guidesOf(account: string) {
  return { $or: [{ account }, { account: null, username: account }] };
}

function asRecord({ _id, ...guide }: GuideDocument): GuideRecord {
  return { ...guide, number: _id, account: guide.account ?? guide.username };
}
