/** Longest time that a process counts by itself before it tells the others, in ms. */
const SETTLE_MS = 100;

/** What this process counts of an account. */
export type Counted = {
  /** In Redis. */
  key: string;
  /** What this process has counted and Redis has not heard of. */
  unsettled: number;
};

type Options<Account extends Counted> = {
  /** Adds the amounts to the totals in Redis. @returns the totals of all processes, in the order of the keys. */
  send: (keys: string[], amounts: number[]) => Promise<(string | number)[]>;
  /** Learns a total; `unsettled` has been counted since. */
  learn: (account: Account, total: number) => void;
  fail: (error: unknown) => void;
  /** A monotonic clock, in ms. */
  now: () => number;
};

/**
 * Tells Redis in steps what this process counts, so that no request waits for it or pays for a command of its own: one
 * command for all accounts, at most every 100 ms, the first after a pause at once
 * (docs/decisions/0021-quotas-settled-in-steps.md).
 */
export class Settlement<Account extends Counted> {
  readonly #options: Options<Account>;
  #changed = new Set<Account>();
  #settledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: Options<Account>) {
    this.#options = options;
  }

  /** Counts an amount, which Redis hears of soon. */
  add(account: Account, amount: number): void {
    account.unsettled += amount;
    this.#changed.add(account);
    this.#schedule();
  }

  /** Tells Redis nothing more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#timer || this.#closed) return;
    const waitMs = Math.max(0, this.#settledAt + SETTLE_MS - this.#options.now());
    this.#timer = setTimeout(() => this.#settle(), waitMs).unref();
  }

  async #settle(): Promise<void> {
    const { send, learn, fail, now } = this.#options;
    const accounts = [...this.#changed];
    this.#changed = new Set();
    const amounts = accounts.map(({ unsettled }) => unsettled);
    for (const account of accounts) account.unsettled = 0;
    try {
      const totals = await send(
        accounts.map(({ key }) => key),
        amounts,
      );
      for (const [index, account] of accounts.entries()) learn(account, Number(totals[index]));
    } catch (error) {
      // What Redis did not take is forgotten: counted later, it would refuse requests long after Redis is back.
      fail(error);
    }
    this.#settledAt = now();
    this.#timer = undefined;
    if (this.#changed.size > 0) this.#schedule();
  }
}
