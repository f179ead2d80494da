import type { Connection } from 'mongoose';
import { DomainError } from '#shared/errors/domain-error.ts';
import { CREATIONS, type JournalEntry, KEY_DAYS } from '#shared/guides/creation-model.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { driverOf, modelOf, type StoredModel, unfinishedIds } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { isDuplicateKey } from '#shared/stores/mongo.ts';
import { type IdempotencyKey, requireSameBody } from '../http/idempotency.ts';
import { Attempts } from './attempts.ts';
import { generateGuideNumber } from './guide-number.ts';
import type { GuideStore } from './guide-store.ts';
import { Overdue } from './overdue.ts';

const NAMED_KEPT_MS = KEY_DAYS * 24 * 3_600_000;
/** How long a creation without a key is kept once it is done, in ms: a request that still finishes it reads its numbers. */
const UNNAMED_KEPT_MS = 3_600_000;

/**
 * The journal of creations, in MongoDB. A creation of several guides, or with a key, is one entry, whose insert is
 * the commit. The guides are stored afterwards; each step is idempotent. A sweep in every process finishes what a
 * crash has cut.
 */
export class CreationJournal {
  readonly #entries: StoredModel<JournalEntry>;
  readonly #guides: GuideStore;
  readonly #clock: DatabaseClock;
  readonly #overdue = new Overdue();
  /**
   * Called once the guides of an entry are stored, and again if that was cut. A creation of one guide without a key has no
   * entry. Rooms above add theirs.
   */
  readonly onStored: ((entry: JournalEntry) => Promise<void>)[] = [];

  constructor(connection: Connection, guides: GuideStore) {
    this.#entries = modelOf(connection, CREATIONS);
    this.#guides = guides;
    this.#clock = new DatabaseClock(connection);
  }

  /** Returns the creation that was committed with a key. @throws DomainError `idempotency-key-reused` for another body. */
  async find(key: IdempotencyKey): Promise<JournalEntry | undefined> {
    const entry = await this.#read(key.id);
    if (entry) requireSameBody(entry, key);
    return entry;
  }

  /** Returns the creation that was committed under an id, whatever its body. */
  committed(id: string): Promise<JournalEntry | undefined> {
    return this.#read(id);
  }

  /**
   * Stores the guides of one creation, all or none. A guide whose number is another's gets a new one.
   *
   * @returns the guides, and whether they are those of an earlier request with the same key.
   * @throws DomainError `result-unknown` if nobody can know in time whether the guides will exist;
   * `idempotency-key-reused`. After any other error no guide exists.
   */
  async create(
    records: readonly GuideDocument[],
    key?: IdempotencyKey,
  ): Promise<{ guides: readonly GuideDocument[]; repeated: boolean }> {
    const [first] = records as [GuideDocument];
    if (records.length === 1 && !key) return { guides: [await this.#createOne(first)], repeated: false };
    const attempts = new Attempts('result-unknown');
    const { id: _id, ...hashes } = key ?? { id: first.creation };
    const entry: JournalEntry = {
      _id,
      creation: first.creation,
      ...hashes,
      openSince: new Date(),
      records,
    };
    const committed = await attempts.untilAnswered(() => this.#commit(entry));
    if (key) requireSameBody(committed, key);
    const guides = await this.complete(committed, attempts);
    return { guides, repeated: committed.creation !== entry.creation };
  }

  /**
   * Stores the missing guides of a committed creation, and waits for a database that is away.
   *
   * @returns all guides, in the order of the request.
   * @throws DomainError `result-unknown` if they are not all stored in time; then a sweep stores them.
   */
  async complete(
    entry: JournalEntry,
    attempts = new Attempts('result-unknown'),
  ): Promise<readonly GuideDocument[]> {
    attempts.committed();
    const whole = await attempts.untilAnswered(() => this.#store(entry));
    // No request waits for it; the sweep repeats it if it fails.
    this.#done(whole).catch(() => {});
    return whole.records ?? attempts.untilAnswered(() => this.#stored(whole));
  }

  /** Finishes what is open for longer than a request may take to store it, one creation after the other. */
  async sweep(log: Pick<Logger, 'info' | 'warn'>): Promise<void> {
    for (const _id of this.#overdue.among(await unfinishedIds(this.#entries))) {
      try {
        // One at a time: an entry may have megabytes.
        const entry = await this.#read(_id);
        if (!entry?.records) continue;
        await this.#done(await this.#store(entry));
        log.info({ creation: entry.creation }, 'A creation that was cut has all its guides now');
      } catch (err) {
        log.warn({ err, _id }, 'A creation that was cut waits for the next sweep');
      }
    }
  }

  /** One guide is one document: its insert is the commit. */
  async #createOne(record: GuideDocument): Promise<GuideDocument> {
    const attempts = new Attempts('result-unknown');
    for (let drawn = record; ; drawn = { ...record, _id: generateGuideNumber(isTestNumber(record._id)) }) {
      if ((await attempts.untilAnswered(() => this.#guides.insert(drawn))) === 'stored') return drawn;
    }
  }

  /** @returns the entry that a majority of the servers has under this id: this one, or that of another request. */
  async #commit(entry: JournalEntry): Promise<JournalEntry> {
    try {
      await driverOf(this.#entries).insertOne(entry);
      return entry;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const stored = await this.#read(entry._id);
      // By no majority yet, or expired meanwhile: the next attempt learns it.
      if (!stored) throw new DomainError('unavailable');
      return stored;
    }
  }

  /** Stores the guides of an entry, unless it is done. @returns the entry with the numbers that they have. */
  async #store(entry: JournalEntry): Promise<JournalEntry> {
    if (!entry.records) return entry;
    const taken = await this.#guides.insertAll(entry.records);
    if (taken.length > 0) return this.#store(await this.#renumber(entry, taken));
    for (const act of this.onStored) await act(entry);
    return entry;
  }

  async #stored({ numbers = [] }: JournalEntry): Promise<GuideDocument[]> {
    const found = await Promise.all(numbers.map((number) => this.#guides.find(number)));
    return found.map((record, i) => {
      if (!record) throw new Error(`The guide ${numbers[i]} of a creation that is done is not there`);
      return record;
    });
  }

  /**
   * Draws new numbers for guides whose number is another's. No client knows them yet; of concurrent draws the first
   * holds.
   *
   * @returns the entry as it is then.
   */
  async #renumber(
    { _id, records = [] }: JournalEntry,
    taken: readonly GuideDocument[],
  ): Promise<JournalEntry> {
    const used = new Set(records.map((record) => record._id));
    for (const { _id: number } of taken) {
      const fresh = unusedNumber(used, isTestNumber(number));
      await this.#entries.updateOne({ _id, 'records._id': number }, { $set: { 'records.$._id': fresh } });
    }
    const entry = await this.#read(_id);
    if (!entry) throw new DomainError('unavailable');
    return entry;
  }

  /** Keeps the numbers alone, of a creation with a key for as long as the key is remembered, and none longer than its guides. */
  async #done({ _id, creation, bodyHash, records }: JournalEntry): Promise<void> {
    if (!records) return;
    const keptMs = bodyHash === undefined ? UNNAMED_KEPT_MS : NAMED_KEPT_MS;
    const numbers = records.map((record) => record._id);
    const expiresAt = earlierOf(await this.#clock.now(keptMs), records[0]?.expiresAt);
    await this.#entries.updateOne(
      { _id, creation },
      { $set: { numbers, expiresAt }, $unset: { records: 1, openSince: 1 } },
    );
  }

  /** Reads what a majority of the servers has: no failover takes it back. */
  async #read(_id: string): Promise<JournalEntry | undefined> {
    return (await this.#entries.findOne({ _id }).readConcern('majority').lean()) ?? undefined;
  }
}

function earlierOf(one: Date, other = one): Date {
  return one < other ? one : other;
}

function unusedNumber(used: Set<string>, isTest: boolean): string {
  const fresh = generateGuideNumber(isTest);
  if (used.has(fresh)) return unusedNumber(used, isTest);
  used.add(fresh);
  return fresh;
}
