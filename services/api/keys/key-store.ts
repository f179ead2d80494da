import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { RECENT } from '#shared/accounts/user-store.ts';
import { KEYS, type KeyDocument, MAX_KEYS } from '#shared/keys/key-model.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { isDuplicateKey } from '#shared/stores/mongo.ts';
import { StaleIfErrorCache } from '#shared/stores/stale-if-error-cache.ts';
import { digestOf, newKey, startOf } from './key.ts';

/** A key as its user sees it. */
export type Key = Omit<KeyDocument, '_id' | 'digest'>;
export type NewKey = Pick<KeyDocument, 'username' | 'name' | 'permissions' | 'expiresAt'>;

/**
 * `endsAt`: when it expires, of `performance.now()`, because the database's clock does not answer while MongoDB is away.
 * The two drift apart by less than 2 s in the half hour for which a key is kept.
 */
type KnownKey = { key: Key; endsAt: number };

/** Keys that a process remembers, of some 500 bytes each; also those that do not exist. */
const CACHE_MAX_KEYS = 20_000;
/** Where answers end: RFC 3339 has no year of five digits. Up to 1.8.0 a key could have a later end. */
const LAST_MOMENT = new Date('9999-12-31T23:59:59.999Z');
const DAY_MS = 24 * 3_600_000;
const HIDDEN = { _id: 0, digest: 0 } as const;

/** The API keys, in MongoDB (docs/contract.md "Keys"). */
export class KeyStore {
  readonly clock: DatabaseClock;
  readonly #keys: StoredModel<KeyDocument>;
  /** Also remembers that there is no such key. */
  readonly #recent = new StaleIfErrorCache<KnownKey | undefined>({
    ...RECENT,
    what: 'Reading a key',
    max: CACHE_MAX_KEYS,
    read: (digest) => this.#read(digest),
  });

  constructor(connection: Connection) {
    this.clock = new DatabaseClock(connection);
    this.#keys = modelOf(connection, KEYS);
  }

  /**
   * Returns a key as stored at most five seconds ago, or half an hour ago while MongoDB does not answer; undefined if there is
   * none, or it has expired.
   */
  async findRecent(digest: string): Promise<Key | undefined> {
    return unexpired(await this.#recent.get(digest));
  }

  /** Returns a key as it is stored now; undefined as `findRecent`. */
  async find(digest: string): Promise<Key | undefined> {
    return unexpired(await this.#read(digest));
  }

  async #read(digest: string): Promise<KnownKey | undefined> {
    const key = await this.#keys.findOne({ digest }, HIDDEN).lean();
    if (!key) return undefined;
    const leftMs = key.expiresAt ? key.expiresAt.getTime() - (await this.clock.now()).getTime() : Infinity;
    return { key: withPrintableEnd(key), endsAt: performance.now() + leftMs };
  }

  /** Returns a user's keys in the order of their creation, also expired ones. */
  async list(username: string): Promise<Key[]> {
    const keys = await this.#keys.find(placesOf(username), HIDDEN).sort({ createdAt: 1 }).lean();
    return keys.map(withPrintableEnd);
  }

  /** Returns all keys, by user. */
  async listAll(): Promise<Key[]> {
    return (await this.#keys.find({}, HIDDEN).sort({ _id: 1 }).lean()).map(withPrintableEnd);
  }

  /**
   * Makes a key. @returns it with its text, which is stored nowhere; undefined if the user has `MAX_KEYS` already.
   * @param test whether the user's account is for rehearsals.
   */
  async create(wanted: NewKey, test: boolean): Promise<{ key: Key; text: string } | undefined> {
    const text = newKey(test);
    const key: Key = { ...wanted, id: randomUUID(), start: startOf(text), createdAt: await this.clock.now() };
    for (const _id of placesOf(wanted.username)._id.$in) {
      try {
        await this.#keys.insertOne({ ...key, _id, digest: digestOf(text) });
        return { key, text };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
    return undefined;
  }

  /** Ends a key: within ten seconds no process accepts it. @returns the ended key; undefined if there was none. */
  async end(username: string, id: string): Promise<Key | undefined> {
    const ended = await this.#keys.findOneAndDelete({ ...placesOf(username), id }).lean();
    if (ended) this.#recent.forget(ended.digest);
    return ended ?? undefined;
  }

  /** Ends all keys of a user. @returns how many there were. */
  async endAll(username: string): Promise<number> {
    return (await this.#keys.deleteMany(placesOf(username))).deletedCount;
  }

  /**
   * Makes a text, which is kept elsewhere, the only key of a user: all others end.
   * @returns whether anything was changed.
   */
  async keepOnly(text: string, wanted: NewKey): Promise<boolean> {
    const digest = digestOf(text);
    const places = placesOf(wanted.username);
    const { deletedCount } = await this.#keys.deleteMany({ ...places, digest: { $ne: digest } });
    if (await this.#keys.exists({ ...places, digest })) return deletedCount > 0;
    const [_id = ''] = places._id.$in;
    const createdAt = await this.clock.now();
    await this.#keys.insertOne({ ...wanted, _id, id: randomUUID(), start: startOf(text), digest, createdAt });
    return true;
  }

  /** Returns the beginning of the database's day, in UTC. */
  async today(): Promise<Date> {
    const now = (await this.clock.now()).getTime();
    return new Date(now - (now % DAY_MS));
  }

  /** Stores the day of a use, unless it is stored already. */
  async used({ username, id, usedAt }: Pick<Key, 'username' | 'id' | 'usedAt'>, day: Date): Promise<void> {
    if (usedAt && usedAt >= day) return;
    await this.#keys.updateOne({ ...placesOf(username), id }, { $max: { usedAt: day } });
  }
}

function unexpired({ key, endsAt }: Partial<KnownKey> = {}): Key | undefined {
  return endsAt !== undefined && performance.now() < endsAt ? key : undefined;
}

/** Selects a user's keys. No user name has a blank. */
function placesOf(username: string) {
  return { _id: { $in: Array.from({ length: MAX_KEYS }, (_, place) => `${username} ${place}`) } };
}

/** Returns a key with an end that answers can write: `LAST_MOMENT` if it ends later. */
function withPrintableEnd(key: Key): Key {
  const { expiresAt } = key;
  return expiresAt && expiresAt > LAST_MOMENT ? { ...key, expiresAt: LAST_MOMENT } : key;
}
