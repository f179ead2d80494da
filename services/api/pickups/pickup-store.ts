import fastq, { type queueAsPromised } from 'fastq';
import type { Connection, QueryFilter } from 'mongoose';
import { KEY_DAYS } from '#shared/guides/creation-model.ts';
import { isTestPickup, OPEN_STATES } from '#shared/pickups/pickup.ts';
import { PICKUPS, type Pickup } from '#shared/pickups/pickup-model.ts';
import { driverOf, modelOf, type StoredModel, unfinishedIds } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { isDuplicateKey } from '#shared/stores/mongo.ts';
import { pauseOvertaken } from '#shared/stores/numbered-log.ts';
import { Attempts } from '../guides/attempts.ts';
import { type IdempotencyKey, requireSameBody } from '../http/idempotency.ts';
import { NEWEST_FIRST, type PageFilter } from '../http/list-parameters.ts';
import { pickupNumbers } from './pickup-number.ts';
import { freePlaces, placeOf, placesOf, type WindowOfBranch } from './places.ts';

const KEPT_MS = KEY_DAYS * 24 * 3_600_000;

/** A pick-up without its place, and how many places its window has; absent for no bound. */
export type Wanted = { pickup: Pickup; capacity?: number | undefined };
/** Why nothing was stored. `held`: the pick-up of each guide, or manifest, that is in another open one. */
export type PickupConflict = { full: true } | { sameAddress: string } | { held: ReadonlyMap<string, string> };
export type PickupCreation = { pickup: Pickup; repeated: boolean } | PickupConflict;
type Inserted = PickupCreation | 'number taken' | 'place taken';

/** Fields of a change, beside its version. */
export type PickupUpdate = Partial<Pick<Pickup, 'status' | 'reason' | 'changedBy' | 'seen'>> & {
  entry?: Pickup['history'][number];
  /** Whether guides, manifest and address are free again, and the place in the window too. */
  frees?: 'guides' | 'place';
};

/** A cut-off is on the day before its window at the earliest, which may end late the next day. */
const LONGEST_LEAD_MS = 2 * 24 * 3_600_000;

/** Open pick-ups that name guides, and failed ones whose window has ended since a moment. */
function mayEndByScans(failedSince: Date) {
  // The index has `closesAt`, so that the sweep does not read all that ever failed.
  const closesAt = { $gte: new Date(failedSince.getTime() - LONGEST_LEAD_MS) };
  return {
    guides: { $exists: true },
    $or: [
      { status: { $in: [...OPEN_STATES] } },
      {
        status: 'Fallida' as const,
        'window.closesAt': closesAt,
        'window.endsAt': { $gte: failedSince },
      },
    ],
  };
}

/**
 * Pick-ups in MongoDB. A pick-up is one document, so it exists whole or not at all: unique indexes over its place, its address
 * and its guides refuse a second one. A crash therefore leaves no place taken.
 */
export class PickupStore {
  readonly clock: DatabaseClock;
  readonly #pickups: StoredModel<Pickup>;
  readonly #onChange: (pickup: Pickup) => void;
  /** By window. */
  readonly #turns = new Map<string, queueAsPromised<Wanted, Inserted>>();

  /** @param onChange is called with each pick-up that was made or has got another state. */
  constructor(connection: Connection, onChange: (pickup: Pickup) => void = () => {}) {
    this.#onChange = onChange;
    this.clock = new DatabaseClock(connection);
    this.#pickups = modelOf(connection, PICKUPS);
  }

  /**
   * Stores a pick-up in a free place of its window. If another one has its number, it gets a new one.
   *
   * @returns the pick-up, or that of an earlier request with the same key; else what stands in its way.
   * @throws DomainError `pickup-unknown` if nobody can know in time whether it exists. After any other error it does not exist.
   */
  async create(wanted: Wanted): Promise<PickupCreation> {
    const attempts = new Attempts('pickup-unknown');
    for (let { pickup } = wanted; ; ) {
      const drawn = { ...wanted, pickup };
      const outcome = await attempts.untilAnswered(() => this.#insertInTurn(drawn));
      if (outcome === 'place taken') {
        await pauseOvertaken(); // whoever took it may not be seen yet
        continue;
      }
      if (outcome !== 'number taken') {
        if ('pickup' in outcome && !outcome.repeated) this.#onChange(outcome.pickup);
        return outcome;
      }
      pickup = { ...pickup, _id: pickupNumbers.generate(isTestPickup(pickup._id)) };
    }
  }

  /** Inserts pick-ups of a window one after the other, as `ManifestStore` does, so that they do not try the same places. */
  async #insertInTurn(wanted: Wanted): Promise<Inserted> {
    const window = windowOf(wanted.pickup);
    const turns = this.#turns.get(window) ?? fastq.promise((each: Wanted) => this.#insert(each), 1);
    this.#turns.set(window, turns);
    try {
      return await turns.push(wanted);
    } finally {
      if (turns.idle()) this.#turns.delete(window);
    }
  }

  async #insert({ pickup, capacity }: Wanted): Promise<Inserted> {
    const place = await this.#choosePlace(pickup, capacity);
    // An attempt whose answer was lost may have taken the last one.
    if (place === 'none') return (await this.#explainDuplicate(pickup)) ?? { full: true };
    const document = { ...pickup, ...(place !== undefined && { place }) };
    try {
      await driverOf(this.#pickups).insertOne(document);
      return { pickup: document, repeated: false };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return (await this.#explainDuplicate(pickup)) ?? 'place taken';
    }
  }

  /** @returns undefined if the window has no bound. */
  async #choosePlace(pickup: Pickup, capacity: number | undefined): Promise<string | undefined> {
    if (capacity === undefined) return undefined;
    const window = { branch: pickup.branch.code, ...pickup.window };
    const free = freePlaces(await this.placesTaken(window), capacity);
    const number = free[Math.floor(Math.random() * free.length)];
    return number === undefined ? 'none' : placeOf(window, number);
  }

  /** @returns undefined if nothing but the place can be in the way. */
  async #explainDuplicate(pickup: Pickup): Promise<Inserted | undefined> {
    const { _id, creation, key, addressKey, held = [] } = pickup;
    const same = await this.#read({ _id });
    // An earlier attempt stored it, and its answer was lost.
    if (same?.creation === creation) return { pickup: same, repeated: false };
    const earlier = key && (await this.#read({ 'key.id': key.id }));
    if (earlier) return { pickup: earlier, repeated: true };
    if (same) return 'number taken';
    const atAddress = addressKey && (await this.#read({ addressKey }));
    if (atAddress) return { sameAddress: atAddress._id };
    const conflicts = await this.holding(held);
    return conflicts.size > 0 ? { held: conflicts } : undefined;
  }

  /**
   * Returns the pick-up that was asked for with a key in the last seven days, and frees the key of an older one.
   *
   * @throws DomainError `idempotency-key-reused` for another body.
   */
  async findByKey(key: IdempotencyKey): Promise<Pickup | undefined> {
    const pickup = await this.#read({ 'key.id': key.id });
    if (!pickup) return undefined;
    if (pickup.createdUtc < (await this.clock.now(-KEPT_MS))) {
      await this.#pickups.updateOne({ _id: pickup._id }, { $unset: { key: 1 } });
      return undefined;
    }
    requireSameBody({ bodyHash: pickup.key?.bodyHash }, key);
    return pickup;
  }

  /** @param account whose pick-up it must be, if given. */
  find(number: string, account?: string): Promise<Pickup | undefined> {
    return this.#read({ _id: number, ...(account !== undefined && { account }) });
  }

  /** Counts open pick-ups of an account, up to `limit`. */
  countOpen(account: string, limit: number): Promise<number> {
    return this.#pickups.countDocuments({ account, status: { $in: [...OPEN_STATES] } }, { limit }).exec();
  }

  /** Returns the open pick-up of each of these guides and manifests that is in one. */
  async holding(numbers: readonly string[]): Promise<Map<string, string>> {
    if (numbers.length === 0) return new Map();
    const found = await this.#pickups
      .find({ held: { $in: [...numbers] } })
      .readConcern('majority')
      .select<{ _id: string; held: string[] }>({ held: 1 })
      .sort({ _id: 1 })
      .lean();
    const wanted = new Set(numbers);
    return new Map(
      found.flatMap(({ _id, held }) => held.filter((each) => wanted.has(each)).map((each) => [each, _id])),
    );
  }

  /** Returns the numbers of the places of a window that are taken. */
  async placesTaken(window: WindowOfBranch): Promise<Set<number>> {
    const { $gte, $lt } = placesOf(window);
    const found = await this.#pickups
      .find({ place: { $gte, $lt } })
      .select<{ place: string }>({ place: 1 })
      .sort({ place: 1 })
      .lean();
    return new Set(found.map(({ place }) => Number(place.slice($gte.length))));
  }

  /** Returns up to `limit` pick-ups of an account, newest first. */
  page(
    wanted: { account: string; status?: Pickup['status'] } & PageFilter,
    limit: number,
  ): Promise<Pickup[]> {
    return this.#pickups.find(wanted).sort(NEWEST_FIRST).limit(limit).lean().exec();
  }

  /** Returns up to `limit` pick-ups of a branch on a day, without those of test accounts, by window and number. */
  ofBranch(branch: string, date: string, from: string | undefined, limit: number): Promise<Pickup[]> {
    return this.#pickups
      .find({ ...ofDay(branch, date), ...(from !== undefined && { 'window.from': from }) })
      .sort({ 'window.from': 1, _id: 1 })
      .limit(limit)
      .lean()
      .exec();
  }

  /**
   * Changes a pick-up, unless somebody else has changed it since it was read.
   *
   * @returns the pick-up as it is then; undefined if it has changed.
   */
  async update(
    { _id, version }: Pickup,
    { entry, frees, ...fields }: PickupUpdate,
  ): Promise<Pickup | undefined> {
    const freed = frees && {
      ...{ addressKey: 1, held: 1 },
      ...(frees === 'place' && { place: 1 }),
    };
    const update = {
      $set: { ...fields, version: version + 1, ...(entry && { openSince: entry.at }) },
      ...(entry && { $push: { history: entry } }),
      ...(freed && { $unset: freed }),
    };
    const found = await this.#pickups
      .findOneAndUpdate({ _id, version }, update as object, { returnDocument: 'after' })
      .lean();
    if (found) this.#onChange(found);
    return found ?? undefined;
  }

  /** Returns the pick-ups whose changes are not published to webhooks yet, the oldest first. */
  unpublished(): Promise<string[]> {
    return unfinishedIds(this.#pickups);
  }

  /** Notes that the changes of a pick-up are published, as far as it was read. */
  async markPublished({ _id, version }: Pickup): Promise<void> {
    const told = { $set: { told: version }, $unset: { openSince: 1 } } as const;
    const { matchedCount } = await this.#pickups.updateOne({ _id, version }, told);
    // It has changed again, and whoever changed it publishes that.
    if (matchedCount === 0) await this.#pickups.updateOne({ _id }, { $max: { told: version } });
  }

  /** Returns pick-ups that may end by scans: open ones of an account that name guides, and those whose window ended since a moment and that failed. */
  awaitingScans(account: string, failedSince: Date): Promise<Pickup[]> {
    return this.#pickups
      .find({ account, ...mayEndByScans(failedSince) })
      .sort({ _id: 1 })
      .lean()
      .exec();
  }

  /** Returns the accounts that have such pick-ups, each with the number up to which all were looked at; -1 if one never was. */
  async accountsAwaitingScans(failedSince: Date): Promise<Map<string, number>> {
    const found = await this.#pickups.aggregate<{ _id: string; seen: number }>([
      { $match: mayEndByScans(failedSince) },
      { $group: { _id: '$account', seen: { $min: { $ifNull: ['$seen', -1] } } } },
    ]);
    return new Map(found.map(({ _id, seen }) => [_id, seen]));
  }

  /** Notes that events of an account were looked at up to a number. */
  async markSeen(numbers: readonly string[], seen: number): Promise<void> {
    const filter = {
      _id: { $in: [...numbers] },
      $or: [{ seen: { $exists: false } }, { seen: { $lt: seen } }],
    };
    await this.#pickups.updateMany(filter as QueryFilter<Pickup>, { $set: { seen } });
  }

  /** Returns up to `limit` pick-ups that are to be scheduled by themselves, because their cut-off is over. */
  dueForSchedule(now: Date, limit: number): Promise<Pickup[]> {
    return this.#pickups
      .find({ status: 'Solicitada', 'window.closesAt': { $lte: now }, automatic: true })
      .sort({ 'window.closesAt': 1 })
      .limit(limit)
      .lean()
      .exec();
  }

  /** Returns up to `limit` open pick-ups whose window ended by a moment. */
  openSinceWindow(endedBy: Date, limit: number): Promise<Pickup[]> {
    return this.#pickups
      .find({
        status: { $in: [...OPEN_STATES] },
        // No cut-off is after its window, and the index has it.
        'window.closesAt': { $lte: endedBy },
        'window.endsAt': { $lte: endedBy },
      })
      .sort({ 'window.closesAt': 1 })
      .limit(limit)
      .lean()
      .exec();
  }

  /** Moves the pick-ups that a user asked for to an account, as `GuideStore` does the guides. */
  async moveToAccount(username: string, account: string): Promise<void> {
    // Their events are looked at anew, in the log of that account too.
    const change = { $set: { account }, $unset: { seen: 1 } } as const;
    await this.#pickups.updateMany({ username, account: { $ne: account } }, change);
  }

  /** Forgets a user's Idempotency-Keys: a later user of this name must not be given these pick-ups by the same key. */
  async dropKeys(username: string): Promise<void> {
    await this.#pickups.updateMany({ username }, { $unset: { key: 1 } });
  }

  /** Reads what a majority of the servers has: no failover takes it back. */
  async #read(filter: Record<string, string>): Promise<Pickup | undefined> {
    return (await this.#pickups.findOne(filter).readConcern('majority').lean()) ?? undefined;
  }
}

function windowOf({ branch, window }: Pickup): string {
  return `${branch.code} ${window.date} ${window.from}`;
}

/** Real pick-ups of a branch on a day: numbers of test accounts begin with `R0`. */
function ofDay(branch: string, date: string) {
  return { 'branch.code': branch, 'window.date': date, _id: { $gte: 'R1' } };
}
