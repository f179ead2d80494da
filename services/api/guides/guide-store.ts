import DataLoader from 'dataloader';
import type { Connection } from 'mongoose';
import { DomainError } from '#shared/errors/domain-error.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import { GUIDES, type GuideDocument } from '#shared/guides/guide-model.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { errorOf, insertEach } from '#shared/stores/insert-each.ts';
import { DUPLICATE_KEY } from '#shared/stores/mongo.ts';

/** What the event log makes of a guide. */
export type GuideState = Required<Pick<GuideDocument, 'status' | 'events'>> &
  Pick<GuideDocument, 'cancelled' | 'adjustment'>;

/** What a manifest shows of a guide as it is now. The recipient's address has what is known of it. */
export type CurrentState = Pick<GuideDocument, 'status' | 'route' | 'destination' | 'pickUp'> & {
  guide: Pick<GuideDocument['guide'], 'Referencia'> & {
    Destinatario?: Pick<GuideDocument['guide']['Destinatario'], 'CodigoPostal' | 'Municipio' | 'Estado'>;
  };
};
/** A guide as far as a manifest reads it. */
export type HandoverGuide = Pick<
  GuideDocument,
  '_id' | 'createdAt' | 'status' | 'service' | 'origin' | 'destination' | 'expiresAt'
> & {
  guide: Pick<GuideDocument['guide'], 'Cobro'> & {
    Producto: Pick<GuideDocument['guide']['Producto'], 'Peso' | 'Paquetes'>;
  };
};

/** `taken`: the number is another guide's. */
type Stored = 'stored' | 'taken';
type Wanted = { number: string; account: string | undefined };

const MOVED_AT_A_TIME = 5_000;
const HANDED_OVER_AT_A_TIME = 1_000;
const HANDOVER_FIELDS = {
  ...{ createdAt: 1, status: 1, service: 1, origin: 1, destination: 1, expiresAt: 1 },
  ...{ 'guide.Producto.Peso': 1, 'guide.Producto.Paquetes': 1, 'guide.Cobro': 1 },
} as const;
const STATE_FIELDS = {
  ...{ status: 1, route: 1, destination: 1, pickUp: 1, 'guide.Referencia': 1 },
  ...{ 'guide.Destinatario.CodigoPostal': 1, 'guide.Destinatario.Municipio': 1 },
  'guide.Destinatario.Estado': 1,
} as const;
const MAX_BATCHED_FINDS = 100;
/** Guides of different customers in one write. */
const MAX_BATCHED_INSERTS = 25;

/**
 * Batches all calls made in one event-loop turn into a single round trip (DataLoader without a cache). A single call
 * leaves at once. A query for each call would halve concurrent creations.
 *
 * @param run answers a batch in the order of its calls; an Error fails its call alone.
 */
function batchLoader<Call, Answer>(
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

/** Guides in MongoDB. The number is the `_id`, so the one look-up that every label needs is by primary key. */
export class GuideStore {
  readonly #guides: StoredModel<GuideDocument>;
  readonly #find = batchLoader((wanted: readonly Wanted[]) => this.#findAll(wanted), MAX_BATCHED_FINDS);
  /** Stores one guide, in a write that it may share with others. The result is `stored` also for a guide that is already there. */
  readonly insert = batchLoader(
    (records: readonly GuideDocument[]) => this.#insertBatch(records),
    MAX_BATCHED_INSERTS,
  );

  constructor(connection: Connection) {
    this.#guides = modelOf(connection, GUIDES);
  }

  /** Stores the guides of one creation in one write. @returns those that were not stored: another guide has their number. */
  async insertAll(records: readonly GuideDocument[]): Promise<GuideDocument[]> {
    const results = await this.#insertBatch(records);
    const failure = results.find((result) => result instanceof Error);
    if (failure) throw failure;
    return records.filter((_, i) => results[i] === 'taken');
  }

  /** @returns the result of each guide; one failure does not affect the others. */
  async #insertBatch(records: readonly GuideDocument[]): Promise<(Stored | Error)[]> {
    const failures = await insertEach(this.#guides, records);
    if (failures.size === 0) return records.map(() => 'stored');
    const duplicates = records.filter((_, i) => failures.get(i)?.code === DUPLICATE_KEY);
    const creations = await this.#creationsOf(duplicates);
    return records.map(({ _id, creation }, i) => {
      const failure = failures.get(i);
      if (!failure) return 'stored';
      if (failure.code !== DUPLICATE_KEY) return errorOf(failure);
      const owner = creations.get(_id);
      // Not confirmed by a majority: a failover may take the guide back. The next attempt sees it.
      if (owner === undefined) return new DomainError('unavailable');
      return owner === creation ? 'stored' : 'taken';
    });
  }

  /** Returns the ids of the creations that a majority of the servers has under the numbers of these guides. */
  async #creationsOf(records: readonly GuideDocument[]): Promise<Map<string, string>> {
    const found = await this.#guides
      .find({ _id: { $in: records.map(({ _id }) => _id) } })
      .readConcern('majority')
      .select<{ _id: string; creation: string }>({ creation: 1 })
      .sort({ _id: 1 })
      .lean();
    return new Map(found.map(({ _id, creation }) => [_id, creation]));
  }

  /**
   * Returns a guide.
   *
   * @param account whose guide it must be, if given. The database checks it, so another's guide takes as long as a
   * missing one.
   */
  find(number: string, account?: string): Promise<GuideDocument | undefined> {
    return this.#find({ number, account });
  }

  async #findAll(wanted: readonly Wanted[]): Promise<(GuideDocument | undefined)[]> {
    const byAccount = Map.groupBy(wanted, ({ account }) => account);
    const finds = [...byAccount].map(async ([account, wanted]) => {
      const _id = { $in: wanted.map(({ number }) => number) };
      const documents = await this.#guides
        .find({ _id, ...(account !== undefined && { account }) })
        .sort({ _id: 1 })
        .lean();
      return [account, new Map(documents.map((document) => [document._id, document]))] as const;
    });
    const found = new Map(await Promise.all(finds));
    return wanted.map(({ number, account }) => found.get(account)?.get(number));
  }

  /** Returns whether an account's guides are those of a test account; undefined if it has none. */
  async areTests(account: string): Promise<boolean | undefined> {
    const guide = await this.#guides.findOne({ account }).select<{ _id: string }>({ _id: 1 }).lean();
    return guide ? isTestNumber(guide._id) : undefined;
  }

  /** Returns the account of each guide that exists. */
  async accountsOf(numbers: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#guides
      .find({ _id: { $in: [...numbers] } })
      .select<{ _id: string; account: string }>({ account: 1 })
      .sort({ _id: 1 })
      .lean();
    return new Map(found.map(({ _id, account }) => [_id, account]));
  }

  /**
   * Stores the states of guides by number, unless the stored one has as many events.
   *
   * @returns whether all were stored.
   */
  async storeStates(states: ReadonlyMap<string, GuideState>): Promise<boolean> {
    // Guides scanned together mostly get the same state, in one update.
    const alike = Map.groupBy(states, ([, state]) => JSON.stringify(state));
    const updates = [...alike.values()].map((group) => {
      const [[, $set]] = group as [[string, GuideState]];
      const _id = { $in: group.map(([number]) => number) };
      return this.#guides.updateMany({ _id, events: { $not: { $gte: $set.events } } }, { $set });
    });
    const results = await Promise.all(updates);
    return results.reduce((sum, { matchedCount }) => sum + matchedCount, 0) === states.size;
  }

  /** Returns the current status of each of these guides that the account has, and where it goes. */
  async statesOf(numbers: readonly string[], account: string): Promise<Map<string, CurrentState>> {
    const found = await this.#guides
      .find({ _id: { $in: [...numbers] }, account })
      .select<CurrentState & Pick<GuideDocument, '_id'>>(STATE_FIELDS)
      .sort({ _id: 1 })
      .lean();
    return new Map(found.map(({ _id, ...state }) => [_id, state]));
  }

  /**
   * Reads the guides of a branch that nobody has scanned, the oldest first, a thousand at a time. Leaves out those that are billed by
   * their first event, which others hand over.
   *
   * @param from local time of creation from which on guides are read.
   */
  async *documented(account: string, branch: string, from: string): AsyncGenerator<HandoverGuide[]> {
    for (let after = { createdAt: from, _id: '' }; ; ) {
      const step = await this.#guides
        .find({
          account,
          createdAt: { $gte: after.createdAt },
          status: 'Documentado',
          'origin.code': branch,
          billed: { $exists: false },
          $or: [{ createdAt: { $gt: after.createdAt } }, { _id: { $gt: after._id } }],
        })
        .select<HandoverGuide>(HANDOVER_FIELDS)
        .sort({ createdAt: 1, _id: 1 })
        .limit(HANDED_OVER_AT_A_TIME)
        .lean();
      const last = step.at(-1);
      if (!last) return;
      yield step;
      after = last;
    }
  }

  /**
   * Moves a user's guides to an account. They keep the account for which they were created, whose usage they are. If it was
   * interrupted, call it again. @returns how many guides each step saw.
   */
  async *moveToAccount(username: string, account: string): AsyncGenerator<number> {
    const createdFor = { $ifNull: ['$createdFor', '$account'] };
    for await (const step of guideSteps(this.#guides.db, MOVED_AT_A_TIME)) {
      await this.#guides.updateMany(
        { ...step.filter, username, account: { $ne: account } },
        [{ $set: { createdFor, account: { $literal: account } } }],
        { updatePipeline: true },
      );
      yield step.count;
    }
  }
}

/** A stretch of guides by ascending number, up to and with one; the filter selects them. */
export type GuideStep = { filter: { _id: { $gt: string; $lte: string } }; upTo: string; count: number };

/**
 * Walks over guides by ascending number in steps of `size`, so that queries stay short. A guide created meanwhile may
 * be missed.
 *
 * @param from last number of an earlier walk.
 */
export async function* guideSteps(mongo: Connection, size: number, from = ''): AsyncGenerator<GuideStep> {
  const guides = modelOf(mongo, GUIDES);
  for (let after = from; ; ) {
    const step = await guides
      .find({ _id: { $gt: after } })
      .select<{ _id: string }>({ _id: 1 })
      .sort({ _id: 1 })
      .limit(size)
      .lean();
    const upTo = step.at(-1)?._id;
    if (upTo === undefined) return;
    yield { filter: { _id: { $gt: after, $lte: upTo } }, upTo, count: step.length };
    after = upTo;
  }
}
