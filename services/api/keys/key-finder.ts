import { LRUCache } from 'lru-cache';
import { type LoginAttempt, LoginRefusal } from '#shared/accounts/login.ts';
import { type LoginKeys, type LoginLimit, loginKeys } from '#shared/accounts/login-limit.ts';
import type { ApiUser, UserStore } from '#shared/accounts/user-store.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { Tally } from '#shared/async/tally.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { BearerKind } from '../accounts/bearer.ts';
import type { Key, KeyStore } from './key-store.ts';

type Sender = Parameters<BearerKind['identify']>[1];
/** A right key, and the enabled user as whom it acts. */
type Found = { key: Key; user: ApiUser };

type Options = {
  keys: KeyStore;
  users: UserStore;
  limit: LoginLimit;
  /** Counts and records a refusal; never rejects. */
  onLogin: (attempt: LoginAttempt) => Promise<void>;
};

/** Keys in use that a process remembers, and addresses of keys, of some 100 bytes each. */
const MAX_IN_USE = 20_000;
/** How long a process relies on Redis having an address of a key, which Redis keeps for 30 days. */
const ADDRESS_NOTED_MS = 3_600_000;
/** When a key that came among too many at once may be sent again, in seconds. */
const RETRY_S = 2;

/**
 * Finds keys for requests, and limits wrong ones (docs/contract.md "Keys").
 *
 * - **Each wrong key** is refused ten times in 15 minutes, and then with 429, also one that was right before.
 * - **Each different one** counts as a failed login of its address, so that a flood of guesses soon costs MongoDB nothing. A
 *   key that was right before is no guess: it does not count against its neighbours at the address.
 * - **A right key** works also beside such a flood, if this process has seen it, or another process has from that address.
 */
export class KeyFinder {
  readonly #options: Options;
  /** Digests of keys that were right when this process last saw them. */
  readonly #inUse = new LRUCache<string, true>({ max: MAX_IN_USE });
  /** Keys with the addresses that they came from, as far as this process has told Redis. */
  readonly #noted = new LRUCache<string, true>({ max: MAX_IN_USE, ttl: ADDRESS_NOTED_MS });
  /** Look-ups of unknown keys, by key and address. One serves all requests of its time. */
  readonly #lookUps = new SingleFlight<Found | undefined>();
  /** The same by address: no more than may still fail, or a burst takes all of MongoDB. */
  readonly #lookedUp = new Tally();
  /** Failures that Redis is counting, by key and address. */
  readonly #failing = new Tally();

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Returns the key of a digest, and its user.
   * @throws DomainError `access-denied` for a wrong or ended key, or a user who may not enter.
   * @throws LoginRefusal for a wrong key that comes too often. Also for any key that comes for the first time from an address
   * with too many wrong ones, or among too many at once.
   */
  async find(digest: string, sender: Sender): Promise<Found> {
    const counted = loginKeys(digest, sender.address);
    try {
      const found = this.#inUse.has(digest)
        ? await this.#read(digest)
        : await this.#lookUps.run(() => this.#lookUp(digest, counted), counted.pair);
      if (!found) return await this.#fail(digest, counted, sender);
      this.#inUse.set(digest, true);
      this.#noteAddress(counted);
      return found;
    } catch (error) {
      if (error instanceof LoginRefusal) this.#report(error.reason, sender);
      throw error;
    }
  }

  /** Looks up a key that this process does not know to be right. @throws LoginRefusal */
  async #lookUp(digest: string, counted: LoginKeys): Promise<Found | undefined> {
    const { limit } = this.#options;
    // Without a refusal the place is taken at once, before another request can ask for one.
    const refusal = this.#refusalOf(counted);
    if (refusal && !(await limit.knows(counted))) throw refusal;
    this.#lookedUp.add(counted.address);
    try {
      const found = await this.#read(digest);
      const isGuess = !found && this.#isFirst(counted) && !(await limit.knows(counted));
      if (isGuess) await limit.fail(counted, 'address');
      return found;
    } finally {
      this.#lookedUp.remove(counted.address);
    }
  }

  async #read(digest: string): Promise<Found | undefined> {
    const { keys, users } = this.#options;
    const key = await keys.findRecent(digest);
    const user = key && (await users.findRecent(key.username));
    return user && !user.disabled ? { key, user } : undefined;
  }

  /** Returns why an unknown key of this address is not looked up; undefined if it is. */
  #refusalOf(counted: LoginKeys): LoginRefusal | undefined {
    const { limit } = this.#options;
    const reached = limit.reachedBy('address', counted);
    if (reached) return new LoginRefusal(reached.limit, { seconds: reached.seconds });
    const mayFail = limit.knownFailures(counted).address + this.#lookedUp.of(counted.address);
    return mayFail < limit.perAddress ? undefined : new LoginRefusal('overload', { seconds: RETRY_S });
  }

  /** Counts a wrong key against itself. @throws DomainError `access-denied`, or LoginRefusal if that limit is reached. */
  async #fail(digest: string, counted: LoginKeys, sender: Sender): Promise<never> {
    const { limit } = this.#options;
    this.#inUse.delete(digest);
    const reached = limit.reachedBy('pair', counted, this.#failing.of(counted.pair));
    if (reached) throw new LoginRefusal(reached.limit, { seconds: reached.seconds });
    this.#report('wrong', sender, !this.#isFirst(counted));
    this.#failing.add(counted.pair);
    await limit.fail(counted, 'pair').finally(() => this.#failing.remove(counted.pair));
    throw new DomainError('access-denied');
  }

  /** Returns whether this process knows no failure of the key from this address. */
  #isFirst(counted: LoginKeys): boolean {
    return this.#options.limit.knownFailures(counted).pair + this.#failing.of(counted.pair) === 0;
  }

  #report(outcome: LoginAttempt['outcome'], sender: Sender, repeated = false): void {
    void this.#options.onLogin({ username: '', ...sender, credential: 'key', outcome, repeated });
  }

  /** Lets every process know the key as one of its address. Nobody waits for Redis: a right key needs nothing of it. */
  #noteAddress(counted: LoginKeys): void {
    const { pair } = counted;
    if (this.#noted.has(pair)) return;
    this.#noted.set(pair, true);
    const forget = () => void this.#noted.delete(pair);
    this.#options.limit.succeed(counted).then((isKnown) => isKnown || forget(), forget);
  }
}
