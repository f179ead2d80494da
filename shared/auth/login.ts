import { availableParallelism } from 'node:os';
import { byTurns } from '#shared/async/semaphore.ts';
import { DomainError } from '#shared/errors.ts';
import type { LoginLimit } from './login-limit.ts';
import { passwordMatches } from './passwords.ts';
import type { ApiUser, UserStore } from './user-store.ts';

/** argon2 is meant to be slow, and it must not be so for megabytes. */
export const MAX_CREDENTIAL = 256;

/**
 * A password takes a core for some 30 ms, so half of the cores are left to everybody else however many log in at once;
 * but at least two are looked at, as each also waits for its servers.
 */
const AT_A_TIME = Math.max(2, Math.floor(availableParallelism() / 2));
/** Longest wait for one's turn, in ms. */
const TURN_DEADLINE = 5_000;

/**
 * Who has this name and password (docs/contract.md "Authentication"). An unknown or disabled user costs as
 * much time as a wrong password, and nobody can guess for long.
 *
 * @param address where the attempt comes from.
 * @throws DomainError `credentials-missing`, `credentials-wrong`, `too-many-logins` with the seconds to wait, or
 * `unavailable` where too many log in at once.
 */
export function loginWith(users: UserStore, limit: LoginLimit) {
  const inTurn = byTurns(AT_A_TIME, TURN_DEADLINE);
  return async (username: string, password: string, address: string): Promise<ApiUser> => {
    if (!username || !password) throw new DomainError('credentials-missing');
    if (username.length > MAX_CREDENTIAL || password.length > MAX_CREDENTIAL) {
      throw new DomainError('credentials-wrong');
    }
    return inTurn(async () => {
      // Found first: what the database did not answer is no failed login, and nobody is shut out after an outage.
      const user = await users.find(username);
      await limit.count(username, address);
      const matches = await passwordMatches(user?.passwordHash, password);
      if (!user || !matches || user.disabled) throw new DomainError('credentials-wrong');
      await limit.forgive(username, address);
      return user;
    });
  };
}
