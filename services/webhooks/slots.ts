import { Tally } from '#shared/async/tally.ts';

/**
 * Bounds concurrent work in all and for each account, so that no account takes the slots of others. What gets no slot must not
 * wait here, as it would with p-limit: another process may have one.
 */
export class Slots {
  readonly #inAll: number;
  readonly #ofOne: number;
  readonly #taken = new Tally();

  constructor(inAll: number, ofOne: number) {
    this.#inAll = inAll;
    this.#ofOne = ofOne;
  }

  get free(): number {
    return this.#inAll - this.#taken.total;
  }

  fullAccounts(): string[] {
    return this.#taken.keysOf(this.#ofOne);
  }

  /** @returns undefined without a free slot. */
  run<T>(account: string, work: () => Promise<T>): Promise<T> | undefined {
    if (this.free <= 0 || this.#taken.of(account) >= this.#ofOne) return undefined;
    this.#taken.add(account);
    return work().finally(() => this.#taken.remove(account));
  }
}
