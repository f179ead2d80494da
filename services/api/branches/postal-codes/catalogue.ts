import { LRUCache } from 'lru-cache';
import type { PostalCode } from '#shared/branches/postal-code.ts';
import type { PostalCodeStore, PostalCodes } from '#shared/branches/postal-code-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { comparableName } from './colonia-names.ts';

/** Most postal codes whose comparable names of colonias are kept. A colonia takes some 200 bytes. */
const MAX_COMPARABLE = 2_000;

/**
 * Keeps the catalogue of postal codes that is in force in memory. A lookup waits for nothing, so a store that is away
 * delays no creation.
 */
export class Catalogue {
  readonly #store: PostalCodeStore;
  /** Undefined before the first look; 0 if nothing was ever loaded. */
  #number: number | undefined;
  #codes: PostalCodes = new Map();
  readonly #comparable = new LRUCache<string, ReadonlyMap<string, string>>({ max: MAX_COMPARABLE });

  constructor(store: PostalCodeStore) {
    this.#store = store;
  }

  /** Looks which catalogue is in force, and reads it if it is another one. A withdrawn catalogue has no codes. */
  async look(): Promise<void> {
    const newest = await this.#store.newest();
    const number = newest?._id ?? 0;
    if (number === this.#number) return;
    const codes = newest?.catalogue ? await this.#store.read(number) : new Map();
    if (!codes) return; // the next look finds what has replaced it
    this.#comparable.clear();
    this.#codes = codes;
    this.#number = number;
  }

  /** Returns a postal code of the catalogue; undefined if it lacks the code, and before the first look. */
  find(code: string): PostalCode | undefined {
    return this.#codes.get(code);
  }

  /** Returns the colonias of a code by their comparable names; undefined as `find`. */
  coloniasOf(code: string): ReadonlyMap<string, string> | undefined {
    const known = this.#comparable.get(code);
    if (known) return known;
    const found = this.find(code);
    if (!found) return undefined;
    const colonias = new Map(found.Colonias.map((name) => [comparableName(name), name]));
    this.#comparable.set(code, colonias);
    return colonias;
  }

  /** @throws DomainError `no-catalogue`; `postal-code-unknown`; `unavailable` before the first look. */
  require(postalCode: string): PostalCode {
    if (this.#number === undefined) throw new DomainError('unavailable');
    if (this.#codes.size === 0) throw new DomainError('no-catalogue');
    const found = this.find(postalCode);
    if (!found) throw new DomainError('postal-code-unknown', { params: { postalCode } });
    return found;
  }
}
