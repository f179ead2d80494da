import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Connection, mongo } from 'mongoose';
import { inTurns } from '#shared/async/in-turns.ts';
import type { PostalCode } from '#shared/branches/postal-code.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import {
  bytesOf,
  type DocumentIn,
  defineCollection,
  driverOf,
  KEYWORD,
  MOMENT,
  modelOf,
  NUMBER,
  optional,
  part,
  type StoredModel,
} from '../stores/collection.ts';
import { isDuplicateKey } from '../stores/mongo.ts';

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes {
    /** Somebody else has loaded or withdrawn the catalogue meanwhile. */
    'catalogue-changed': unknown;
  }
}

/**
 * The catalogue is one document, so that one insert replaces it: no reader sees half of it, and a load that dies
 * changes nothing. Compressed it has some 2 MiB of the 16 that a document may have.
 */
export const POSTAL_CODES = defineCollection(
  'postalCodes',
  {
    _id: NUMBER,
    at: MOMENT,
    /** The operator. */
    by: KEYWORD,
    /** Absent from a withdrawal. `lines` has a postal code a line, as JSON, compressed by gzip. */
    catalogue: optional(
      part({ codes: NUMBER, colonias: NUMBER, lines: { type: Buffer, required: true } as const }),
    ),
  },
  {
    id: 'Number',
    holds: 'The catalogue of postal codes, or its withdrawal',
    life: 'Until the load after the next, or a withdrawal',
    testAccounts: { stay: 'Nothing of an account' },
    rights: { api: ['find'], loads: ['find', 'insert', 'remove'] },
  },
);
type CatalogueDocument = DocumentIn<typeof POSTAL_CODES>;
/** What was loaded or withdrawn last: its number, when and by whom, and how much a catalogue has. */
export type CatalogueEntry = Omit<CatalogueDocument, 'catalogue'> & {
  catalogue?: Omit<NonNullable<CatalogueDocument['catalogue']>, 'lines'>;
};
/** Postal codes by their five digits. */
export type PostalCodes = ReadonlyMap<string, PostalCode>;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export function countColonias(codes: readonly PostalCode[]): number {
  return codes.reduce((sum, { Colonias }) => sum + Colonias.length, 0);
}

/** The catalogue of postal codes in MongoDB. */
export class PostalCodeStore {
  readonly #model: StoredModel<CatalogueDocument>;

  constructor(connection: Connection) {
    this.#model = modelOf(connection, POSTAL_CODES);
  }

  /**
   * Returns what was loaded or withdrawn last, `before` a number if it is given; undefined if there is nothing. A majority of the
   * servers has it, so no failover takes it back.
   */
  async newest(before = Number.MAX_SAFE_INTEGER): Promise<CatalogueEntry | undefined> {
    const entry = await this.#model
      .findOne({ _id: { $lt: before } })
      .readConcern('majority')
      .sort({ _id: -1 })
      .select<CatalogueEntry>({ 'catalogue.lines': 0 })
      .lean();
    return entry ?? undefined;
  }

  /** Returns a catalogue, or undefined if it is replaced or withdrawn meanwhile. */
  async read(number: number): Promise<PostalCodes | undefined> {
    const document = await this.#model.findById(number).lean();
    if (!document?.catalogue) return undefined;
    const lines = (await decompress(bytesOf(document.catalogue.lines))).toString().split('\n');
    const codes = await inTurns(lines, (line): PostalCode => JSON.parse(line));
    return new Map(codes.map((code) => [code.CodigoPostal, code]));
  }

  /**
   * Replaces the catalogue, which stays for `restore` until the load after the next.
   * @param last number of the newest entry, 0 if there is none.
   * @returns the number of the new one. @throws DomainError `catalogue-changed` if there is a newer one.
   */
  async replace(last: number, codes: readonly PostalCode[], by: string): Promise<number> {
    const lines = await compress(codes.map((code) => JSON.stringify(code)).join('\n'));
    const colonias = countColonias(codes);
    await this.#append(last, { by, catalogue: { codes: codes.length, colonias, lines } });
    await this.#removeBefore(last).catch(() => {}); // the next load removes it
    return last + 1;
  }

  /** Removes the catalogue for good, and the one before. @throws DomainError as `replace` does. */
  async withdraw(last: number, by: string): Promise<void> {
    await this.#append(last, { by });
    await this.#removeBefore(last + 1);
  }

  async #append(last: number, entry: Omit<CatalogueDocument, '_id' | 'at'>): Promise<void> {
    try {
      await this.#model.create({ _id: last + 1, at: new Date(), ...entry });
    } catch (error) {
      throw isDuplicateKey(error) ? new DomainError('catalogue-changed') : error;
    }
  }

  async #removeBefore(number: number): Promise<void> {
    await driverOf(this.#model).deleteMany({ _id: { $lt: number } } as mongo.Filter<CatalogueDocument>);
  }
}
