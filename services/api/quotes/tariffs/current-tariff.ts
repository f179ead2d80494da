import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { DatabaseClock } from '#shared/stores/database-clock.ts';
import { readTariff } from './read-tariff.ts';
import type { Tariff } from './tariff.ts';
import { TariffReport } from './tariff-report.ts';
import type { TariffLogEntry, TariffStore } from './tariff-store.ts';
import { inForceAt, laterThan, type TariffVersion, versionsIn } from './tariff-versions.ts';

/** A tariff with its number. */
export type NumberedTariff = { version: number; tariff: Tariff };

/** Most versions that are kept in memory although they are no longer in force. */
const MAX_FORMER = 3;

/**
 * The tariff that is in force, in this process. `look` reads what was added to the log, and the tariffs of later versions
 * before they begin. Versions begin by the database's clock, so every process changes at the same second, also while
 * MongoDB is away.
 */
export class CurrentTariff {
  readonly #store: TariffStore;
  readonly #clock: Pick<DatabaseClock, 'now' | 'estimate'>;
  #log: readonly TariffLogEntry[] = [];
  /** Undefined before the first look. */
  #versions: readonly TariffVersion[] | undefined;
  /** By version: the one in force, and all that begin later. */
  #tariffs = new Map<number, Tariff>();
  #withdrawn: ReadonlySet<number> = new Set();
  /** Promises: weighings of several accounts may ask for more versions at once than are kept. */
  readonly #former = new LRUCache<number, Promise<Tariff | undefined>>({ max: MAX_FORMER });
  /** When the log was read, of `performance.now()`. */
  #lookedAt = Number.NaN;
  readonly #firstLook = Promise.withResolvers<void>();

  constructor(store: TariffStore, clock: Pick<DatabaseClock, 'now' | 'estimate'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns the time by which versions and quotes begin and end, in ms since 1970. */
  now(): number {
    return this.#clock.estimate();
  }

  /** Reads what was added, and the tariffs of the versions that are in force now or later. */
  async look(): Promise<void> {
    const now = (await this.#clock.now()).getTime();
    const log = [...this.#log, ...(await this.#store.entries(this.#log.at(-1)?._id))];
    const versions = versionsIn(log);
    // Known at once: reading a large tariff takes seconds.
    this.#withdrawn = new Set(versions.flatMap(({ number, withdrawn }) => (withdrawn ? [number] : [])));
    const wanted = [inForceAt(versions, now), ...laterThan(versions, now)];
    const tariffs = new Map<number, Tariff>();
    for (const { number } of wanted.filter((version) => version !== undefined)) {
      const tariff = this.#tariffs.get(number) ?? (await this.#read(number));
      if (tariff) tariffs.set(number, tariff);
    }
    this.#log = log;
    this.#versions = versions;
    this.#tariffs = tariffs;
    this.#lookedAt = performance.now();
    this.#firstLook.resolve();
  }

  /** Waits until the log was read for the first time, or for so many ms. */
  async firstLook(ms: number): Promise<void> {
    if (!this.#versions) await Promise.race([this.#firstLook.promise, sleep(ms, undefined, { ref: false })]);
  }

  /** How long ago the log was read, in ms; undefined before the first look. */
  get ageMs(): number | undefined {
    return this.#versions && performance.now() - this.#lookedAt;
  }

  /** When the tariff in force was loaded, in ms since 1970, and by whom; undefined if there is none, or nobody knows yet. */
  get load(): { at: number; by: string } | undefined {
    const version = inForceAt(this.#versions ?? [], this.now());
    return version && { at: version.at.getTime(), by: version.by };
  }

  /**
   * Returns the tariff that is in force at a moment, or undefined if there is none.
   *
   * @throws DomainError `unavailable` if the log was not read yet, or this release cannot read the tariff.
   */
  at(now: number): NumberedTariff | undefined {
    const version = inForceAt(this.#known(), now)?.number;
    if (version === undefined) return undefined;
    const tariff = this.#tariffs.get(version);
    if (!tariff) {
      throw new DomainError('unavailable', {
        cause: new Error(`Cannot read version ${version} of the tariff`),
      });
    }
    return { version, tariff };
  }

  /** Returns the version that is in force at a moment; undefined if there is none, or the log was not read yet. */
  versionAt(now: number): number | undefined {
    return inForceAt(this.#versions ?? [], now)?.number;
  }

  /**
   * Returns the tariff of a version, in force or not, withdrawn or not; undefined if the log has no such version, or one that
   * this release cannot read.
   */
  async of(version: number): Promise<Tariff | undefined> {
    return this.#tariffs.get(version) ?? this.#formerOf(version);
  }

  /** Returns the moment at which the next version begins, or undefined if there is none. @throws as `at` does. */
  nextBegins(now: number): number | undefined {
    return laterThan(this.#known(), now)[0]?.from;
  }

  /** @throws as `at` does. */
  isWithdrawn(version: number): boolean {
    this.#known();
    return this.#withdrawn.has(version);
  }

  #known(): readonly TariffVersion[] {
    if (!this.#versions) throw new DomainError('unavailable');
    return this.#versions;
  }

  /** Returns a version that is no longer in force, once for all who ask at the same time. A failure is not kept. */
  async #formerOf(version: number): Promise<Tariff | undefined> {
    const reading = this.#former.get(version) ?? this.#read(version);
    this.#former.set(version, reading);
    let tariff: Tariff | undefined;
    try {
      tariff = await reading;
    } finally {
      if (!tariff && this.#former.peek(version) === reading) this.#former.delete(version);
    }
    return tariff;
  }

  async #read(number: number): Promise<Tariff | undefined> {
    const folder = await this.#store.folder(number);
    // The release that stored it has checked it; an older one cannot read words, columns and files that it does not know.
    return folder && readTariff(folder, new TariffReport());
  }
}
