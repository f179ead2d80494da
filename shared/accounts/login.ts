import { Tally } from '#shared/async/tally.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { HashQueue } from './hash-queue.ts';
import { type LoginKeys, type LoginLimit, loginKeys } from './login-limit.ts';
import { hashPassword, isWeakHash, matchingHash } from './passwords.ts';
import type { ApiUser, UserStore } from './user-store.ts';

/** Longest name and longest password, in characters, because argon2's time grows with the length. */
export const MAX_CREDENTIAL = 256;
/** When a login refused by overload may try again. */
const RETRY_S = 2;

/** The reasons for refusing a login, each with the code of its answer. */
const CODES = {
  /** The password is wrong, or the user is unknown. */
  wrong: 'credentials-wrong',
  /** The password is right, but the user may not log in. */
  disabled: 'credentials-wrong',
  /** The password is right, and must be changed first. */
  one_time: 'password-one-time',
  /** The password was a one-time one, and nobody changed it in time. */
  one_time_expired: 'password-one-time-expired',
  address_limit: 'too-many-logins',
  pair_limit: 'too-many-logins',
  overload: 'overloaded',
} as const;
export type LoginFailure = keyof typeof CODES;
export const LOGIN_FAILURES = Object.keys(CODES) as LoginFailure[];
/** The errors of a login. Each service that logs users in answers all of them. */
export type LoginCode = 'credentials-missing' | (typeof CODES)[LoginFailure];

export class LoginRefusal extends DomainError {
  readonly reason: LoginFailure;

  /** @param options.seconds when to try again, if that helps. */
  constructor(reason: LoginFailure, options: { seconds?: number; cause?: unknown } = {}) {
    const { seconds, cause } = options;
    super(CODES[reason], { params: { seconds }, ...(cause !== undefined && { cause }) });
    this.reason = reason;
  }
}

/** A login that was decided. An outage of a store decides nothing. */
export type LoginAttempt = {
  /** The name that the client sent, which need not be a user. At most `MAX_CREDENTIAL` characters. */
  username: string;
  address: string;
  requestId: string | undefined;
  /** What the client showed instead of a name and a password. */
  credential?: 'key';
  /** The audit log already has this wrong credential; it is only counted in the metric. */
  repeated?: boolean;
  outcome: 'right' | LoginFailure;
};

/** What a client logs in with. */
export type Credentials = {
  username: string;
  password: string;
  address: string;
  requestId?: string | undefined;
};

/** Waits for the turn of a login to hash a password. @throws LoginRefusal `overload`, or what the work throws. */
type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** A user whose password is right. `isPrevious`: it is the one before, which is valid for a time. */
type Match = { user: ApiUser; isPrevious: boolean };

type Options = {
  users: UserStore;
  limit: LoginLimit;
  /**
   * Called with each decided attempt. Must not throw or reject. A successful login waits for it. A failed login does not
   * wait, so that a flood of failures occupies nothing.
   */
  onAttempt?: (attempt: LoginAttempt) => unknown;
  /** Replaces hashes of weak parameters, and forgets expired ones. Only the API may write users. */
  rehash?: boolean;
  queue?: HashQueue;
};

/**
 * Logs users in by name and password (docs/contract.md "Authentication"). Only failures count against a limit. At a time,
 * only as many logins of an address are checked as may still fail, so parallel guesses cannot exceed the limit.
 */
export class Login {
  readonly #users: UserStore;
  readonly #limit: LoginLimit;
  readonly #queue: HashQueue;
  readonly #onAttempt: (attempt: LoginAttempt) => unknown;
  readonly #rehash: boolean;
  /** Logins that are not answered yet, by each of their keys. */
  readonly #underWay = new Tally();
  /** Logins that are being checked, and so may fail. */
  readonly #checking = new Tally();
  /** Logins that wait until another login is decided. */
  readonly #undecided: (() => void)[] = [];

  constructor({ users, limit, onAttempt = () => {}, rehash = false, queue = new HashQueue() }: Options) {
    this.#users = users;
    this.#limit = limit;
    this.#queue = queue;
    this.#onAttempt = onAttempt;
    this.#rehash = rehash;
  }

  /**
   * Returns the user with this name and password, who may enter.
   * @throws DomainError `credentials-missing`, or a LoginRefusal.
   */
  async check(username: string, password: string, address: string, requestId?: string): Promise<ApiUser> {
    const credentials = { username, password, address, requestId };
    const user = await this.withPassword(credentials, async ({ user, isPrevious }, inTurn) => {
      if (user.oneTimeUntil) throw new LoginRefusal('one_time');
      const improves =
        this.#rehash && !isPrevious && (isWeakHash(user.passwordHash) || user.previousPassword);
      if (improves) await this.#replaceHash(user, password, inTurn);
      return user;
    });
    await this.#report(credentials, 'right');
    return user;
  }

  /**
   * Calls `use` with the user of this name and password, also if the password is a one-time one. The answer for an
   * unknown or disabled user takes as long as for a wrong password, so that its time reveals no names.
   * @param use hashes passwords by `inTurn` alone. The login counts as under way until `use` is done.
   * @throws DomainError `credentials-missing`, a LoginRefusal, or what `use` throws.
   */
  async withPassword<T>(
    credentials: Credentials,
    use: (match: Match, inTurn: InTurn) => Promise<T>,
  ): Promise<T> {
    const { username, password, address } = credentials;
    if (!username || !password) throw new DomainError('credentials-missing');
    try {
      return await this.#attempt(username, password, loginKeys(username, address), use);
    } catch (error) {
      if (error instanceof LoginRefusal) this.#report(credentials, error.reason);
      throw error;
    }
  }

  #report({ username, address, requestId }: Credentials, outcome: LoginAttempt['outcome']): unknown {
    return this.#onAttempt({ username: username.slice(0, MAX_CREDENTIAL), address, requestId, outcome });
  }

  async #attempt<T>(
    username: string,
    password: string,
    keys: LoginKeys,
    use: (match: Match, inTurn: InTurn) => Promise<T>,
  ): Promise<T> {
    this.#refuseReached(keys);
    const known = await this.#limit.knows(keys);
    for (const key of Object.values(keys)) this.#underWay.add(key);
    try {
      const rank = this.#rankOf(keys, known);
      const inTurn: InTurn = (work) => this.#inTurn(rank, work);
      const match = await inTurn(() => this.#decide(username, password, keys));
      return await use(match, inTurn);
    } finally {
      for (const key of Object.values(keys)) this.#underWay.remove(key);
    }
  }

  #refuseReached(keys: LoginKeys): void {
    const reached = this.#limit.reached(keys);
    if (reached) throw new LoginRefusal(reached.limit, { seconds: reached.seconds });
  }

  /**
   * Returns a login's rank; the lowest is checked first. Three rules make the rank:
   *
   * 1. Failures and logins under way of the address count most, so that addresses take turns.
   * 2. Logins under way of the user count next, so that a user attacked from many addresses does not hold up others.
   * 3. From an address where this user logged in before, only the user's own logins from there count. Neither neighbours
   *    at the address nor attacks from elsewhere delay that user.
   */
  #rankOf(keys: LoginKeys, known: boolean): number {
    const failures = this.#limit.knownFailures(keys);
    if (known) return 1_000 * (failures.pair + this.#underWay.of(keys.pair));
    const ofAddress = failures.address + this.#underWay.of(keys.address);
    return 1_000 * ofAddress + Math.min(this.#underWay.of(keys.user), 999);
  }

  /** A login that waits for its turn costs Redis one command, and the database nothing. */
  #inTurn<T>(rank: number, decide: () => Promise<T>): Promise<T> {
    let begun = false;
    const begin = () => {
      begun = true;
      return decide();
    };
    return this.#queue.run(rank, begin).catch((cause) => {
      throw begun ? cause : new LoginRefusal('overload', { seconds: RETRY_S, cause });
    });
  }

  async #decide(username: string, password: string, keys: LoginKeys): Promise<Match> {
    await this.#begin(keys);
    try {
      const match = await this.#findMatch(username, password);
      if (!match || match.user.disabled) {
        await this.#limit.fail(keys);
        throw new LoginRefusal(match ? 'disabled' : 'wrong');
      }
      const { oneTimeUntil } = match.user;
      if (oneTimeUntil && oneTimeUntil <= (await this.#users.now()))
        throw new LoginRefusal('one_time_expired');
      // Who has only the password before must not clear failed guesses at the present one.
      if (!match.isPrevious) await this.#limit.succeed(keys);
      return match;
    } finally {
      this.#end(keys);
    }
  }

  /** Waits until the login may fail without exceeding a limit. @throws LoginRefusal at a reached limit. */
  async #begin(keys: LoginKeys): Promise<void> {
    const { perUser, perAddress } = this.#limit;
    for (;;) {
      const failures = await this.#limit.failures(keys);
      this.#refuseReached(keys);
      const mayFail =
        failures.pair + this.#checking.of(keys.pair) < perUser &&
        failures.address + this.#checking.of(keys.address) < perAddress;
      if (mayFail) break;
      await new Promise<void>((resolve) => this.#undecided.push(resolve));
    }
    for (const key of Object.values(keys)) this.#checking.add(key);
  }

  #end(keys: LoginKeys): void {
    for (const key of Object.values(keys)) this.#checking.remove(key);
    for (const goOn of this.#undecided.splice(0)) goOn();
  }

  async #findMatch(username: string, password: string): Promise<Match | undefined> {
    if (username.length > MAX_CREDENTIAL || password.length > MAX_CREDENTIAL) return undefined;
    const user = await this.#users.find(username);
    const { passwordHash, previousPassword: previous } = user ?? {};
    const hashes = [passwordHash, previous?.hash].filter((each) => each !== undefined);
    const matching = await matchingHash(hashes, password);
    if (!user || matching === undefined) return undefined;
    const isPrevious = matching !== passwordHash;
    const isExpired = isPrevious && previous && previous.until <= (await this.#users.now());
    return isExpired ? undefined : { user, isPrevious };
  }

  /** Hashes a right password anew, with today's parameters, unless its hash belongs to a password before. */
  async #replaceHash(user: ApiUser, password: string, inTurn: InTurn): Promise<void> {
    const { username, passwordHash, previousPassword: previous } = user;
    try {
      if (previous && previous.until > (await this.#users.now())) return;
      await this.#users.replaceHash(username, passwordHash, await inTurn(() => hashPassword(password)));
    } catch {
      // The login succeeds anyway, and the next one tries again.
    }
  }
}
