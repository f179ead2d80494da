import { Tally } from '#shared/async/tally.ts';

/** Bounds how much is under way at a time, in all and for one account, so that no account takes the places of others. */
export class Places {
  readonly #inAll: number;
  readonly #ofOne: number;
  readonly #taken = new Tally();
  #count = 0;

  constructor(inAll: number, ofOne: number) {
    this.#inAll = inAll;
    this.#ofOne = ofOne;
  }

  get areTaken(): boolean {
    return this.#count >= this.#inAll;
  }

  /** Returns the accounts that have as many places as one may have. */
  accountsWithAll(): string[] {
    return this.#taken.keysOf(this.#ofOne);
  }

  /** Does an account's work in a place. @returns undefined where there is none for it. */
  run<T>(account: string, work: () => Promise<T>): Promise<T> | undefined {
    if (this.areTaken || this.#taken.of(account) >= this.#ofOne) return undefined;
    this.#count++;
    this.#taken.add(account);
    return work().finally(() => {
      this.#count--;
      this.#taken.remove(account);
    });
  }
}
