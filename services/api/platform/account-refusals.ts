import { hash } from 'node:crypto';
import type { OwnData } from '#shared/errors/own-data.ts';
import type { UserAction } from '#shared/rooms.ts';
import type { AccountOutcome } from '#shared/stores/heartbeat.ts';

type Refusal = { codigo: string; data: OwnData };
type Last = { at: number; rank: string; refusal: Refusal | undefined };

/** Accounts of an action that are remembered, and for how long, in ms. */
const MAX_ACCOUNTS = 50;
const WINDOW_MS = 600_000;

/**
 * Remembers for each action how the last request of each account ended: served, or refused for a reason whose truth is our data. Of
 * many accounts it keeps those whose digests are the smallest. So every process keeps the same sample, and an account counts
 * once, however many requests it makes.
 */
export class AccountRefusals {
  readonly #actions = new Map<UserAction, Map<string, Last>>();

  count(action: UserAction, account: string, refusal?: Refusal): void {
    const accounts = this.#actions.get(action) ?? new Map<string, Last>();
    this.#actions.set(action, accounts);
    const rank = accounts.get(account)?.rank ?? hash('sha1', account);
    accounts.set(account, { at: performance.now(), rank, refusal });
    if (accounts.size <= MAX_ACCOUNTS) return;
    forgetOld(accounts);
    const [last] = [...accounts].sort(([, one], [, other]) => (one.rank < other.rank ? 1 : -1));
    if (last && accounts.size > MAX_ACCOUNTS) accounts.delete(last[0]);
  }

  /** Returns what heartbeats tell. @param at the time of Redis now, in ms since 1970. */
  report(at: number): Record<string, AccountOutcome[]> {
    const now = performance.now();
    return Object.fromEntries(
      [...this.#actions].map(([action, accounts]) => {
        forgetOld(accounts);
        const outcomes = [...accounts].map(([account, last]) => ({
          account,
          at: Math.round(at - (now - last.at)),
          ...last.refusal,
        }));
        return [action, outcomes];
      }),
    );
  }
}

function forgetOld(accounts: Map<string, Last>): void {
  const oldest = performance.now() - WINDOW_MS;
  for (const [account, { at }] of accounts) if (at < oldest) accounts.delete(account);
}
