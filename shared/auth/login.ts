import { DomainError } from '#shared/errors.ts';
import { type LoginKeys, loginKeys } from './login-keys.ts';
import type { LoginLimit } from './login-limit.ts';
import { LoginQueue } from './login-queue.ts';
import { type LoginFailure, LoginRefusal } from './login-refusal.ts';
import { hashPassword, isWeakHash, passwordMatches } from './passwords.ts';
import type { ApiUser, UserStore } from './user-store.ts';

/** Longest name and longest password, in characters: argon2's time grows with the length. */
export const MAX_CREDENTIAL = 256;

export type Login = (
  username: string,
  password: string,
  address: string,
  requestId?: string,
) => Promise<ApiUser>;

/** A login that was decided; one that the outage of a store ended is none. */
export type LoginAttempt = {
  /** As the client named it, which need not be a user; `MAX_CREDENTIAL` characters at most. */
  username: string;
  /** The client's IP address. */
  address: string;
  requestId: string | undefined;
  outcome: 'right' | LoginFailure;
  /** The same refusal was given a moment ago: a flood makes a thousand of these a second. */
  repeated: boolean;
};

type Options = {
  users: UserStore;
  limit: LoginLimit;
  /** Is told of each attempt once it is decided. The answer does not wait for it, and it must not throw. */
  onAttempt?: (attempt: LoginAttempt) => void;
  /** Replaces hashes of weaker parameters than today's. Only the API may write users. */
  rehash?: boolean;
  queue?: LoginQueue;
};

/**
 * Creates the login (docs/contract.md "Authentication"): it returns the user with this name and password.
 *
 * An unknown or disabled user takes as long as a wrong password, so that the time of an answer reveals no names.
 * `address` is the client's IP address. The login throws DomainError `credentials-missing`, or a `LoginRefusal`.
 */
export function createLogin({ onAttempt, rehash = false, ...options }: Options): Login {
  const { users, limit, queue = new LoginQueue(limit) } = options;
  async function attempt(username: string, password: string, address: string): Promise<ApiUser> {
    const keys = loginKeys(username, address);
    limit.repeatRefusal(keys);
    if (username.length > MAX_CREDENTIAL || password.length > MAX_CREDENTIAL) {
      await limit.consume(keys); // each is recorded in the trail, which a flood of them would fill
      throw new LoginRefusal('wrong');
    }
    return queue.run(keys, async () => {
      const user = await checkPassword({ users, limit, queue }, username, password, keys);
      if (rehash && isWeakHash(user.passwordHash)) await replaceHash({ users, queue }, user, password);
      return user;
    });
  }

  return async (username, password, address, requestId) => {
    if (!username || !password) throw new DomainError('credentials-missing');
    const tell = (outcome: LoginAttempt['outcome'], repeated = false) =>
      onAttempt?.({ username: username.slice(0, MAX_CREDENTIAL), address, requestId, outcome, repeated });
    try {
      const user = await attempt(username, password, address);
      tell('right');
      return user;
    } catch (error) {
      if (error instanceof LoginRefusal) tell(error.reason, error.repeated);
      throw error;
    }
  };
}

type Parts = { users: UserStore; limit: LoginLimit; queue: LoginQueue };

async function checkPassword(
  { users, limit, queue }: Parts,
  username: string,
  password: string,
  keys: LoginKeys,
): Promise<ApiUser> {
  limit.repeatRefusal(keys); // the limit may have been reached while this one waited
  // Read before the attempt is counted: an outage of the database must not use up attempts.
  const user = await users.find(username);
  await limit.consume(keys);
  const matches = await queue.hash(() => passwordMatches(user?.passwordHash, password));
  if (!user || !matches) throw new LoginRefusal('wrong');
  if (user.disabled) throw new LoginRefusal('disabled');
  await limit.reset(keys);
  return user;
}

/** Hashes a right password anew. A failure is nobody's affair: the next login tries again. */
async function replaceHash(
  { users, queue }: Omit<Parts, 'limit'>,
  { username, passwordHash }: ApiUser,
  password: string,
): Promise<void> {
  try {
    const better = await queue.hash(() => hashPassword(password));
    await users.replaceHash(username, passwordHash, better);
  } catch {
    // The password was right, and that is what was asked.
  }
}
