import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Connection } from 'mongoose';
import { DomainError } from '#shared/errors/domain-error.ts';
import { TARIFFS, type TariffEntry } from '#shared/quotes/tariff-model.ts';
import { bytesOf, modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { isDuplicateKey } from '#shared/stores/mongo.ts';
import type { TariffFile, TariffFolder } from './tariff-files.ts';

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes {
    /** Somebody else has changed the tariffs meanwhile. */
    'tariffs-changed': unknown;
  }
}

export type TariffLogEntry = Omit<TariffEntry, 'files'>;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Tariffs in MongoDB. */
export class TariffStore {
  readonly #tariffs: StoredModel<TariffEntry>;
  /** By which entries are dated, and versions begin. */
  readonly clock: DatabaseClock;

  constructor(connection: Connection) {
    this.#tariffs = modelOf(connection, TARIFFS);
    this.clock = new DatabaseClock(connection);
  }

  /**
   * Returns the entries after a number, by ascending number, without the files of versions. A majority of the servers has
   * them, so no failover takes one back.
   */
  async entries(after = 0): Promise<TariffLogEntry[]> {
    return this.#tariffs
      .find({ _id: { $gt: after } })
      .readConcern('majority')
      .select<TariffLogEntry>({ files: 0 })
      .sort({ _id: 1 })
      .lean();
  }

  /** Returns the files of a version, or undefined if there is none of this number. */
  async folder(number: number): Promise<TariffFolder | undefined> {
    const entry = await this.#tariffs.findById(number).lean();
    if (!entry?.files) return undefined;
    const files = entry.files.map(
      async ({ name, gzip }) => [name as TariffFile, await decompress(bytesOf(gzip))] as const,
    );
    return new Map(await Promise.all(files));
  }

  /**
   * Stores a version that follows the entry `last`, and returns its number.
   *
   * @throws DomainError `tariffs-changed` if another entry follows it already: what was checked is no longer so.
   */
  async add(
    last: number,
    { folder, from, by }: { folder: TariffFolder; from: Date; by: string },
  ): Promise<number> {
    const files = [...folder].map(async ([name, content]) => ({ name, gzip: await compress(content) }));
    return this.#append(last, { by, from, files: await Promise.all(files) });
  }

  /** Withdraws a version for good. @throws DomainError as `add` does. */
  async withdraw(last: number, version: number, by: string): Promise<void> {
    await this.#append(last, { by, withdraws: version });
  }

  async #append(last: number, entry: Omit<TariffEntry, '_id' | 'at'>): Promise<number> {
    try {
      await this.#tariffs.create({ _id: last + 1, at: await this.clock.now(), ...entry });
      return last + 1;
    } catch (error) {
      throw isDuplicateKey(error) ? new DomainError('tariffs-changed') : error;
    }
  }
}
