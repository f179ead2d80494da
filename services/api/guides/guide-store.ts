import { type Connection, type Model, mongo, Schema, trusted } from 'mongoose';
import type { Guide, ServiceType } from '#shared/contracts/guide.ts';
import { DUPLICATE_KEY, writeErrorsOf } from '#shared/stores/mongo.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { batchLoader } from '../batch-loader.ts';
import { CreationOutcomes } from './creations/creation-outcomes.ts';
import { guideSteps, guidesOfDriver, inStep } from './guide-steps.ts';

/** A branch with its name on the day of creation: a label that is printed again must not change. */
export type BranchOfGuide = { code: string; name: string };

export type GuideStatus = 'Documentado' | 'Cancelado';
/** Which API user cancelled a guide, and when. */
export type Cancellation = { by: string; at: Date };

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
  status: GuideStatus;
  /** Of a cancelled guide. */
  cancelled?: Cancellation;
  service: ServiceType;
  origin: BranchOfGuide;
  destination: BranchOfGuide;
  /** MXN; 0 on creation (docs/contract.md "Guides"). */
  freight: number;
  total: number;
  guide: Guide;
};
/** A guide of before release 1.2 has no account: it is in the one of its creator's name. */
export type GuideDocument = Omit<GuideRecord, 'number' | 'account'> & {
  _id: string;
  account?: string;
  /**
   * Until a creation of several guides has ended, its guides can be read only where its outcome is `created`. From this
   * moment on, any process may end it.
   */
  pendingUntil?: Date;
};
/** Guides to be stored. `pendingUntil` is that of a creation of several. */
type Insertion = { records: readonly GuideRecord[]; pendingUntil: Date | undefined };
/** What is stored of a creation. */
export type StoredPart = {
  missing: GuideRecord[];
  /** Their numbers are other guides'. */
  taken: GuideRecord[];
};
/** A guide of a creation, as far as its end is concerned. */
export type PendingGuide = Pick<GuideRecord, 'number' | 'creation'>;

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
    (creations: readonly Insertion[]) => this.#insertBatch(creations),
    MAX_BATCHED_CREATIONS,
  );
  readonly #completeInBatch = batchLoader(async (creations: readonly (readonly PendingGuide[])[]) => {
    await this.#complete(creations.flat());
    return creations.map(() => undefined);
  }, MAX_BATCHED_CREATIONS);
  readonly outcomes: CreationOutcomes;
  /** For walks over all guides. */
  readonly #all: mongo.Collection<GuideDocument>;

  constructor(connection: Connection) {
    this.#all = guidesOfDriver(connection);
    this.outcomes = new CreationOutcomes(connection);
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
          pendingUntil: Date,
          status: String,
          cancelled: { by: String, at: Date },
          service: String,
          origin: branch,
          destination: branch,
          freight: Number,
          total: Number,
          guide: Schema.Types.Mixed,
        },
        { versionKey: false, minimize: false },
      ).index({ pendingUntil: 1 }, { partialFilterExpression: { pendingUntil: { $exists: true } } }),
      'guides',
    );
  }

  /** Creates the index of pending guides, which are few, and the one by which outcomes expire. */
  async open(): Promise<void> {
    await Promise.all([this.#guides.createIndexes(), this.outcomes.open()]);
  }

  /**
   * Stores guides of one creation, in one round trip that it may share with others.
   *
   * @param pendingUntil of a creation of several guides: none of them can be read before its outcome is `created`.
   * @returns the guides that were not stored, since their number is: another's, or from an earlier attempt.
   */
  async insert(records: readonly GuideRecord[], pendingUntil?: Date): Promise<GuideRecord[]> {
    const insertion = { records, pendingUntil };
    return records.length > MAX_BATCHED_GUIDES
      ? this.#insertAlone(insertion)
      : this.#insertInBatch(insertion);
  }

  async #insertBatch(creations: readonly Insertion[]): Promise<(GuideRecord[] | Error)[]> {
    try {
      const failures = await this.#insertMany(creations);
      return creations.map(({ records }) => refusedOf(records, failures));
    } catch (error) {
      if (creations.length === 1 || isTransientError(error)) throw error;
      // One of them cannot even be sent: the others must not fail with it.
      return Promise.all(creations.map((one) => this.#insertAlone(one).catch((own: Error) => own)));
    }
  }

  async #insertAlone(insertion: Insertion): Promise<GuideRecord[]> {
    const refused = refusedOf(insertion.records, await this.#insertMany([insertion]));
    if (refused instanceof Error) throw refused;
    return refused;
  }

  /** @returns why guides were not stored. */
  async #insertMany(creations: readonly Insertion[]): Promise<Map<GuideRecord, mongo.WriteError>> {
    const all = creations.flatMap(({ records, pendingUntil }) =>
      records.map((record) => ({ record, document: asDocument(record, pendingUntil) })),
    );
    try {
      const documents = all.map(({ document }) => document);
      await this.#guides.insertMany(documents, { lean: true, ordered: false });
      return new Map();
    } catch (error) {
      // Without errors of single guides the connection broke, or a majority is not reached.
      const failures = writeErrorsOf(error);
      if (failures.length === 0) throw error;
      return new Map(failures.map((one) => [(all[one.index] as (typeof all)[number]).record, one]));
    }
  }

  /** Returns what a majority of the database's servers has stored of a creation, or of some of its guides. */
  async storedPart(records: readonly GuideRecord[]): Promise<StoredPart> {
    const numbers = records.map(({ number }) => number);
    const found = await this.#guides
      .find({ _id: trusted({ $in: numbers }) }, { creation: 1 })
      .readConcern('majority')
      .lean();
    const stored = new Map(found.map(({ _id, creation }) => [_id, creation]));
    return {
      missing: records.filter(({ number }) => !stored.has(number)),
      taken: records.filter(({ number, creation }) => (stored.get(number) ?? creation) !== creation),
    };
  }

  /** Returns pending guides whose time was over at a moment. */
  async overdue(moment: Date, limit: number): Promise<PendingGuide[]> {
    const found = await this.#guides
      .find({ pendingUntil: trusted({ $lt: moment }) }, { creation: 1 })
      .limit(limit)
      .lean();
    return found.map(({ _id, creation }) => ({ number: _id, creation }));
  }

  /** Ends the wait of all guides of a creation that is `created`; then its outcome may expire. */
  complete(guides: readonly PendingGuide[]): Promise<void> {
    return guides.length > MAX_BATCHED_GUIDES ? this.#complete(guides) : this.#completeInBatch(guides);
  }

  async #complete(guides: readonly PendingGuide[]): Promise<void> {
    await this.release(guides);
    await this.outcomes.forget(creationsOf(guides));
  }

  /** Ends the wait of guides of creations that are `created`. */
  async release(guides: readonly PendingGuide[]): Promise<void> {
    await this.#guides.updateMany(pendingOf(guides), { $unset: { pendingUntil: 1 } });
  }

  /** Removes the guides of creations that are `aborted`. */
  async remove(guides: readonly PendingGuide[]): Promise<void> {
    await this.#guides.deleteMany(pendingOf(guides));
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
      const visible = await this.outcomes.visible(documents);
      return [account, new Map(visible.map((document) => [document._id, asRecord(document)]))] as const;
    });
    const found = new Map(await Promise.all(finds));
    return wanted.map(({ number, account }) => found.get(account)?.get(number));
  }

  /**
   * Cancels a guide that can be read: its creation has ended well, and cannot be undone.
   *
   * @returns false where it was cancelled before; that cancellation stays.
   */
  async cancel({ number, creation }: GuideRecord, cancelled: Cancellation): Promise<boolean> {
    const { modifiedCount } = await this.#guides.updateOne(
      { _id: number, creation, status: trusted({ $ne: 'Cancelado' }) },
      { $set: { status: 'Cancelado', cancelled } },
    );
    return modifiedCount === 1;
  }

  /**
   * Moves the guides that a user created to an account, in steps of ascending numbers, so that no step takes long
   * however many guides there are. Interrupted, it may be called again.
   *
   * @returns how many guides were looked at in each step, as it is done.
   */
  async *moveToAccount(username: string, account: string): AsyncGenerator<number> {
    for await (const step of guideSteps(this.#all, MOVED_AT_A_TIME)) {
      await this.#all.updateMany({ ...inStep(step), username }, { $set: { account } });
      yield step.count;
    }
  }
}

/** Selects the guides of an account. */
function guidesOf(account: string) {
  return { $or: [{ account }, { account: null, username: account }] };
}

/** Selects those of the guides that are pending: a number may be another guide's by now. */
function pendingOf(guides: readonly PendingGuide[]) {
  return {
    _id: trusted({ $in: guides.map(({ number }) => number) }),
    creation: trusted({ $in: creationsOf(guides) }),
    pendingUntil: trusted({ $exists: true }),
  };
}

function creationsOf(guides: readonly PendingGuide[]): string[] {
  return [...new Set(guides.map(({ creation }) => creation))];
}

/** Returns the guides whose number is stored already, or the error of another kind. */
function refusedOf(
  records: readonly GuideRecord[],
  failures: ReadonlyMap<GuideRecord, mongo.WriteError>,
): GuideRecord[] | Error {
  const refused = records.filter((record) => failures.has(record));
  const other = refused.map((record) => failures.get(record)).find((one) => one?.code !== DUPLICATE_KEY);
  return other ? new mongo.MongoServerError({ message: other.errmsg ?? '', code: other.code }) : refused;
}

function asDocument({ number, ...guide }: GuideRecord, pendingUntil: Date | undefined): GuideDocument {
  return { _id: number, ...guide, ...(pendingUntil && { pendingUntil }) };
}

function asRecord({ _id, pendingUntil, ...guide }: GuideDocument): GuideRecord {
  return { ...guide, number: _id, account: guide.account ?? guide.username };
}
