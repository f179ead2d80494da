import { randomBytes } from 'node:crypto';
import type { Connection, QueryFilter } from 'mongoose';
import { modelOf, type StoredModel } from '../stores/collection.ts';
import type { DatabaseClock } from '../stores/database-clock.ts';
import { TextCipher } from './text-cipher.ts';
import { type SecretsDocument, WEBHOOK_SECRETS } from './webhook-model.ts';

/** How long a secret signs after a change, in ms. */
const OLD_SECRET_MS = 86_400_000;
/** Most secrets that sign at once. A client that repeats a change after a lost answer breaks no receiver. */
const MAX_SECRETS = 4;
const PURPOSE = 'secrets of webhooks';

/** The keys of a process that reads secrets. Other processes need no key. */
export type SecretKeys = { WEBHOOK_SECRETS_KEY?: string; WEBHOOK_SECRETS_KEY_PREVIOUS?: string };

type StoredSecret = SecretsDocument['secrets'][number];
/** `until`: when it ceases to sign; absent for the newest. */
type Secret = { text: string; until?: Date };

/**
 * Stores what signs the messages of webhooks in MongoDB, encrypted with `WEBHOOK_SECRETS_KEY`, or in clear text without
 * it. Also reads secrets of the previous key and those in clear text.
 */
export class WebhookSecrets {
  readonly #secrets: StoredModel<SecretsDocument>;
  readonly #clock: DatabaseClock;
  readonly #current: TextCipher | undefined;
  readonly #ciphers: ReadonlyMap<string, TextCipher>;

  constructor(
    connection: Connection,
    clock: DatabaseClock,
    { WEBHOOK_SECRETS_KEY: key, WEBHOOK_SECRETS_KEY_PREVIOUS: previous }: SecretKeys,
  ) {
    this.#secrets = modelOf(connection, WEBHOOK_SECRETS);
    this.#clock = clock;
    this.#current = key === undefined ? undefined : new TextCipher(key, PURPOSE);
    const former = previous === undefined ? undefined : new TextCipher(previous, PURPOSE);
    const ciphers = [this.#current, former].filter((cipher) => cipher !== undefined);
    this.#ciphers = new Map(ciphers.map((cipher) => [cipher.id, cipher]));
  }

  /**
   * Returns the secrets that sign a webhook's messages now, the newest first; none if it has just been removed.
   * @throws Error if one of them cannot be decrypted. A message without its signature could not be verified.
   */
  async of(id: string): Promise<string[]> {
    return (await this.ofEach([id]))(id);
  }

  /** Reads the secrets of several webhooks at once. @returns what `of` returns, and throws, of each. */
  async ofEach(ids: readonly string[]): Promise<(id: string) => string[]> {
    const [found, now] = await Promise.all([
      this.#secrets
        .find({ _id: { $in: [...ids] } })
        .sort({ _id: 1 })
        .lean(),
      this.#clock.now(),
    ]);
    const byId = new Map(found.map(({ _id, secrets }) => [_id, secrets]));
    return (id) => this.#signing(id, byId.get(id), now).map(({ text }) => text);
  }

  async insert(id: string, secret: string): Promise<void> {
    await this.#secrets.insertOne({ _id: id, secrets: [this.#stored({ text: secret }, id)] });
  }

  /**
   * Adds a secret. Those that sign now sign for 24 hours more, up to `MAX_SECRETS` in all.
   * @returns whether the webhook has secrets.
   */
  async add(id: string, secret: string): Promise<boolean> {
    for (;;) {
      const { first, signing } = await this.#read(id);
      const [newest, ...older] = signing;
      if (!first || !newest) return false;
      const until = await this.#clock.now(OLD_SECRET_MS);
      const secrets = [{ text: secret }, { ...newest, until }, ...older].slice(0, MAX_SECRETS);
      // The later of two simultaneous changes finds another newest secret, and tries again.
      if (await this.#replace(id, first, secrets)) return true;
    }
  }

  async remove(id: string): Promise<void> {
    // DocumentDB's `deleteOne` finds nothing if another process changes the document at that moment.
    await this.#secrets.deleteMany({ _id: id });
  }

  /** Counts the webhooks whose secrets `renewOutdated` would store anew. */
  countOutdated(): Promise<number> {
    return this.#secrets.countDocuments(this.#outdated()).exec();
  }

  /**
   * Stores secrets of the previous key, and those in clear text, with `WEBHOOK_SECRETS_KEY`; in clear text without it.
   * @returns of how many webhooks.
   * @throws Error if some could not be decrypted, after all others.
   */
  async renewOutdated(): Promise<number> {
    const outdated = await this.#secrets
      .find(this.#outdated())
      .select<{ _id: string }>({ _id: 1 })
      .sort({ _id: 1 })
      .lean();
    const failures: unknown[] = [];
    let renewed = 0;
    for (const { _id } of outdated) {
      try {
        const { first, signing } = await this.#read(_id);
        if (first && (await this.#replace(_id, first, signing))) renewed++;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return renewed;
  }

  #outdated(): QueryFilter<SecretsDocument> {
    return this.#current
      ? { secrets: { $elemMatch: { key: { $ne: this.#current.id } } } }
      : { 'secrets.key': { $exists: true } };
  }

  /** @returns `first`: the newest secret as it is stored; and the secrets that sign now. */
  async #read(id: string): Promise<{ first?: StoredSecret; signing: Secret[] }> {
    const [found, now] = await Promise.all([this.#secrets.findOne({ _id: id }).lean(), this.#clock.now()]);
    const [first] = found?.secrets ?? [];
    return { ...(first && { first }), signing: this.#signing(id, found?.secrets, now) };
  }

  #signing(id: string, stored: readonly StoredSecret[] = [], now: Date): Secret[] {
    return stored
      .filter(({ until }) => !until || until > now)
      .map(({ until, ...secret }) => ({ text: this.#textOf(secret, id), ...(until && { until }) }));
  }

  /** Replaces all secrets of a webhook. @returns false if another process has replaced them since they were read. */
  async #replace(
    id: string,
    { value, encrypted }: StoredSecret,
    secrets: readonly Secret[],
  ): Promise<boolean> {
    const unchanged =
      encrypted === undefined ? { 'secrets.0.value': value } : { 'secrets.0.encrypted': encrypted };
    const change = { $set: { secrets: secrets.map((secret) => this.#stored(secret, id)) } };
    return (await this.#secrets.updateOne({ _id: id, ...unchanged }, change)).matchedCount === 1;
  }

  #stored({ text, until }: Secret, id: string): StoredSecret {
    const cipher = this.#current;
    const secret = cipher ? { encrypted: cipher.encrypt(text, id), key: cipher.id } : { value: text };
    return { ...secret, ...(until && { until }) };
  }

  #textOf({ value, encrypted, key = '' }: StoredSecret, id: string): string {
    if (encrypted === undefined) return value ?? '';
    const cipher = this.#ciphers.get(key);
    if (!cipher) {
      throw new Error(
        `A secret of webhook ${id} is encrypted with the key ${key}, which is neither WEBHOOK_SECRETS_KEY nor WEBHOOK_SECRETS_KEY_PREVIOUS`,
      );
    }
    try {
      return cipher.decrypt(encrypted, id);
    } catch (cause) {
      throw new Error(`A secret of webhook ${id} was altered, or is another webhook's`, { cause });
    }
  }
}

/** Standard Webhooks 1.0.0: `whsec_`, and 24 to 64 bytes in base64. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
