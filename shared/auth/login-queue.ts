import { availableParallelism } from 'node:os';
import { PrioritySemaphore, type Rank } from '#shared/async/priority-semaphore.ts';
import { Tally } from '#shared/async/tally.ts';
import type { LoginKeys } from './login-keys.ts';
import type { LoginHistory, LoginLimit } from './login-limit.ts';
import { LoginRefusal } from './login-refusal.ts';

/**
 * Passwords that are hashed at a time. One takes a core for some 30 ms, so half of the cores stay free for all other
 * requests. Two at least, since a finished one waits for its turn of the event loop.
 */
const MAX_HASHED = Math.max(2, Math.floor(availableParallelism() / 2));
/**
 * Logins that are checked at a time. Most of them wait for Redis and MongoDB, so that the next password is there when one
 * is hashed: with as many as are hashed, a flood that keeps the event loop busy lets 9 a second through, not 50.
 */
const MAX_CHECKED = 4 * MAX_HASHED;
/** Longest wait of a login for its check to begin, in ms. */
const TIMEOUT_MS = 5_000;
/** Most logins that wait for their check. */
const MAX_WAITING = 1_000;
/** When a login that found no place may come again, in seconds. */
const RETRY_S = 2;

/** Lets logins check passwords a few at a time, the least suspicious ones first (docs/decisions/0017-order-of-logins.md). */
export class LoginQueue {
  readonly #limit: LoginLimit;
  readonly #checks: PrioritySemaphore;
  readonly #hashes = new PrioritySemaphore({
    permits: MAX_HASHED,
    maxWaiting: MAX_CHECKED,
    timeoutMs: TIMEOUT_MS,
  });
  readonly #underWay = new Tally();

  /** @param options are for tests. */
  constructor(
    limit: LoginLimit,
    options: { permits?: number; maxWaiting?: number; timeoutMs?: number } = {},
  ) {
    const { permits = MAX_CHECKED, maxWaiting = MAX_WAITING, timeoutMs = TIMEOUT_MS } = options;
    this.#limit = limit;
    this.#checks = new PrioritySemaphore({ permits, maxWaiting, timeoutMs });
  }

  /**
   * Runs a password check when its turn comes.
   *
   * @throws LoginRefusal `overload` when it does not come in time, or when too many wait who are less suspicious; or
   * where a limit is reached.
   */
  async run<T>(keys: LoginKeys, check: () => Promise<T>): Promise<T> {
    const before = {
      address: this.#underWay.add(keys.address),
      pair: this.#underWay.add(keys.pair),
      user: this.#underWay.add(keys.user),
    };
    try {
      const release = await acquire(this.#checks, rankOf(await this.#limit.historyOf(keys), before));
      try {
        return await check();
      } finally {
        release();
      }
    } finally {
      for (const key of Object.values(keys)) this.#underWay.remove(key);
    }
  }

  /** Hashes a password, on half of the cores at most. @throws LoginRefusal `overload`. */
  async hash<T>(work: () => Promise<T>): Promise<T> {
    const release = await acquire(this.#hashes, []);
    try {
      return await work();
    } finally {
      release();
    }
  }
}

function acquire(semaphore: PrioritySemaphore, rank: Rank): Promise<() => void> {
  return semaphore.acquire(rank).catch((cause) => {
    throw new LoginRefusal('overload', { seconds: RETRY_S, cause });
  });
}

/**
 * Ranks by the failures of the address, then by those of the user. What is under way counts as failed until it has proved
 * right, so that addresses take turns from the first moment on. Where a user is known, neither the neighbours of the
 * address nor those who attack the user from elsewhere count.
 */
function rankOf(history: LoginHistory, underWay: Record<keyof LoginKeys, number>): Rank {
  if (history.known) return [history.pair + underWay.pair, 0, 0];
  return [history.address + underWay.address, history.user + underWay.user, 1];
}
