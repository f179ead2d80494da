import { availableParallelism } from 'node:os';
import { createSemaphore } from '#shared/async/semaphore.ts';
import { DomainError } from '#shared/errors.ts';
import type { LoginLimit } from './login-limit.ts';
import { passwordMatches } from './passwords.ts';
import type { ApiUser, UserStore } from './user-store.ts';

/** Longest name and longest password, in characters: argon2's time grows with the length. */
export const MAX_CREDENTIAL = 256;

/** The refusals of a login; each service that logs users in answers all of them. */
export type LoginCode = 'credentials-missing' | 'credentials-wrong' | 'too-many-logins';
export type Login = (username: string, password: string, address: string) => Promise<ApiUser>;

/**
 * Passwords that are checked at a time. One takes a core for some 30 ms, so half of the cores stay free for all other
 * requests. Two at least, since each check also waits for Redis and MongoDB.
 */
const MAX_CONCURRENT = Math.max(2, Math.floor(availableParallelism() / 2));
/** Longest wait of a login for its check to begin, in ms. */
const PERMIT_TIMEOUT_MS = 5_000;

/**
 * Creates the login (docs/contract.md "Authentication"): it returns the user with this name and password.
 *
 * An unknown or disabled user takes as long as a wrong password, so that the time of an answer reveals no names.
 * `address` is the client's IP address. The login throws DomainError `credentials-missing`, `credentials-wrong`,
 * `too-many-logins` with the seconds to wait, or `unavailable` where too many log in at once.
 */
export function createLogin(users: UserStore, limit: LoginLimit): Login {
  const withPermit = createSemaphore(MAX_CONCURRENT, PERMIT_TIMEOUT_MS);
  return async (username, password, address) => {
    if (!username || !password) throw new DomainError('credentials-missing');
    if (username.length > MAX_CREDENTIAL || password.length > MAX_CREDENTIAL) {
      throw new DomainError('credentials-wrong');
    }
    return withPermit(async () => {
      // Read before the attempt is counted: an outage of the database must not lock users out.
      const user = await users.find(username);
      await limit.consume(username, address);
      const matches = await passwordMatches(user?.passwordHash, password);
      if (!user || !matches || user.disabled) throw new DomainError('credentials-wrong');
      await limit.reset(username, address);
      return user;
    });
  };
}
