/** A minute of refusals, in slices that are forgotten one by one. */
const SLICE_MS = 10_000;
const SLICES = 6;
/** Accounts that a slice counts. A flood of more accounts at once is no account's flood. */
const MAX_ACCOUNTS = 1_000;
const MOST = 3;

/** Counts what was refused to each account in the last minute. */
export class RecentRefusals {
  /** The newest first. `since`: of `performance.now()`. */
  #slices: { since: number; counts: Map<string, number> }[] = [];

  add(account: string): void {
    const now = performance.now();
    let [slice] = this.#slices;
    if (!slice || now - slice.since >= SLICE_MS) {
      slice = { since: now, counts: new Map() };
      this.#slices = [slice, ...this.#slices.slice(0, SLICES - 1)];
    }
    const { counts } = slice;
    const before = counts.get(account) ?? 0;
    if (before > 0 || counts.size < MAX_ACCOUNTS) counts.set(account, before + 1);
  }

  /** Returns the accounts with most refusals, the highest count first. */
  most(): { account: string; refused: number }[] {
    const begin = performance.now() - SLICES * SLICE_MS;
    const totals = new Map<string, number>();
    for (const { since, counts } of this.#slices) {
      if (since < begin) continue;
      for (const [account, count] of counts) totals.set(account, (totals.get(account) ?? 0) + count);
    }
    return [...totals]
      .map(([account, refused]) => ({ account, refused }))
      .sort((one, other) => other.refused - one.refused)
      .slice(0, MOST);
  }
}
