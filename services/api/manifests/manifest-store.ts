import fastq, { type queueAsPromised } from 'fastq';
import type { Connection } from 'mongoose';
import { DomainError } from '#shared/errors/domain-error.ts';
import { KEY_DAYS } from '#shared/guides/creation-model.ts';
import { isTestManifest } from '#shared/manifests/manifest.ts';
import { MANIFESTS, type Manifest, type ManifestHead } from '#shared/manifests/manifest-model.ts';
import { driverOf, modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { isDuplicateKey } from '#shared/stores/mongo.ts';
import { Attempts } from '../guides/attempts.ts';
import { type IdempotencyKey, requireSameBody } from '../http/idempotency.ts';
import { NEWEST_FIRST, type PageFilter } from '../http/list-parameters.ts';
import { manifestNumbers } from './manifest-number.ts';

const KEPT_MS = KEY_DAYS * 24 * 3_600_000;

/** `conflicts`: the manifest of each guide that is in another one; then nothing was stored. */
export type ManifestCreation =
  | { manifest: Manifest; repeated: boolean }
  | { conflicts: ReadonlyMap<string, string> };

type Inserted = ManifestCreation | 'number taken';

/**
 * Manifests in MongoDB. A manifest is one document, so it exists whole or not at all. A unique index over the numbers
 * of its guides keeps each guide in one manifest.
 */
export class ManifestStore {
  readonly clock: DatabaseClock;
  readonly #manifests: StoredModel<Manifest>;
  /** By account. */
  readonly #turns = new Map<string, queueAsPromised<Manifest, Inserted>>();

  constructor(connection: Connection) {
    this.clock = new DatabaseClock(connection);
    this.#manifests = modelOf(connection, MANIFESTS);
  }

  /**
   * Stores a manifest. If another one has its number, it gets a new one.
   *
   * @returns the manifest, or that of an earlier request with the same key; else the guides that are in others.
   * @throws DomainError `manifest-unknown` if nobody can know in time whether it exists. After any other error it does
   * not exist.
   */
  async create(manifest: Manifest): Promise<ManifestCreation> {
    const attempts = new Attempts('manifest-unknown');
    for (let drawn = manifest; ; ) {
      const outcome = await attempts.untilAnswered(() => this.#insertInTurn(drawn));
      if (outcome !== 'number taken') return outcome;
      drawn = { ...drawn, _id: manifestNumbers.generate(isTestManifest(drawn._id)) };
    }
  }

  /**
   * Inserts manifests of an account one after the other. DocumentDB takes a second for each pair of inserts that meet in a
   * unique index, and eight that repeat would meet again and again.
   */
  async #insertInTurn(manifest: Manifest): Promise<Inserted> {
    const { account } = manifest;
    const turns = this.#turns.get(account) ?? fastq.promise((each: Manifest) => this.#insert(each), 1);
    this.#turns.set(account, turns);
    try {
      return await turns.push(manifest);
    } finally {
      if (turns.idle()) this.#turns.delete(account);
    }
  }

  async #insert(manifest: Manifest): Promise<Inserted> {
    try {
      await driverOf(this.#manifests).insertOne(manifest);
      return { manifest, repeated: false };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return this.#explainDuplicate(manifest);
    }
  }

  async #explainDuplicate(manifest: Manifest): Promise<Inserted> {
    const { _id, creation, key } = manifest;
    const same = await this.#read({ _id });
    // An earlier attempt stored it, and its answer was lost.
    if (same?.creation === creation) return { manifest: same, repeated: false };
    const earlier = key && (await this.#read({ 'key.id': key.id }));
    if (earlier) return { manifest: earlier, repeated: true };
    if (same) return 'number taken';
    const conflicts = await this.ofGuides(manifest.guides.map(({ number }) => number));
    // No majority of the servers has the other manifest yet. The next attempt finds it.
    if (conflicts.size === 0) throw new DomainError('unavailable');
    return { conflicts };
  }

  /**
   * Returns the manifest that was made with a key in the last seven days, and frees the key of an older one.
   *
   * @throws DomainError `idempotency-key-reused` for another body.
   */
  async findByKey(key: IdempotencyKey): Promise<Manifest | undefined> {
    const manifest = await this.#read({ 'key.id': key.id });
    if (!manifest) return undefined;
    if (manifest.createdUtc < (await this.clock.now(-KEPT_MS))) {
      await this.#manifests.updateOne({ _id: manifest._id }, { $unset: { key: 1 } });
      return undefined;
    }
    requireSameBody({ bodyHash: manifest.key?.bodyHash }, key);
    return manifest;
  }

  /** @param account whose manifest it must be, if given. */
  async find(number: string, account?: string): Promise<Manifest | undefined> {
    return this.#read({ _id: number, ...(account !== undefined && { account }) });
  }

  /** Returns the manifest of each of these guides that is in one. */
  async ofGuides(numbers: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#manifests
      .find({ 'guides.number': { $in: [...numbers] } })
      .readConcern('majority')
      .select<Pick<Manifest, '_id'> & { guides: { number: string }[] }>({ 'guides.number': 1 })
      .sort({ _id: 1 })
      .lean();
    const wanted = new Set(numbers);
    return new Map(
      found.flatMap(({ _id, guides }) =>
        guides.filter(({ number }) => wanted.has(number)).map(({ number }) => [number, _id] as const),
      ),
    );
  }

  /** Returns up to `limit` manifests of an account, newest first. */
  async page(account: string, within: PageFilter, limit: number): Promise<ManifestHead[]> {
    return this.#manifests
      .find({ account, ...within })
      .select<ManifestHead>({ guides: 0 })
      .sort(NEWEST_FIRST)
      .limit(limit)
      .lean();
  }

  /** Moves the manifests that a user made to an account, as `GuideStore` does the guides. */
  async moveToAccount(username: string, account: string): Promise<void> {
    await this.#manifests.updateMany({ username }, { $set: { account } });
  }

  /** Forgets a user's Idempotency-Keys: a later user of this name must not be given these manifests by the same key. */
  async dropKeys(username: string): Promise<void> {
    await this.#manifests.updateMany({ username }, { $unset: { key: 1 } });
  }

  /** Reads what a majority of the servers has: no failover takes it back. */
  async #read(filter: Record<string, string>): Promise<Manifest | undefined> {
    return (await this.#manifests.findOne(filter).readConcern('majority').lean()) ?? undefined;
  }
}
