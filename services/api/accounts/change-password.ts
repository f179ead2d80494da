import type { Credentials, Login } from '#shared/accounts/login.ts';
import { hashBoth, hashPassword } from '#shared/accounts/passwords.ts';
import type { ApiUser, UserStore } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';

/** How long both passwords are valid, in ms (docs/contract.md "Authentication"). */
const OVERLAP_MS = 24 * 3_600_000;

export type NewPassword = {
  password: string;
  /** Whether the present password and the tokens stay valid for a day. A one-time password never does. */
  keepsPrevious: boolean;
};
/** `previousUntil`: until when the password before is valid; null if it is not. */
type ChangedPassword = { user: ApiUser; previousUntil: Date | null };

/**
 * Replaces a user's own password, which the credentials name. It counts as a login does.
 * @throws DomainError as `Login#withPassword` does; `password-replaced` for the password before, which must not lock out
 * the owner of the present one; `forbidden` for a demo user, whose password everybody knows; `password-unknown`.
 */
export function changePassword(
  { login, users }: { login: Login; users: UserStore },
  credentials: Credentials,
  { password, keepsPrevious }: NewPassword,
): Promise<ChangedPassword> {
  return login.withPassword(credentials, async ({ user, isPrevious }, inTurn) => {
    if (isPrevious) throw new DomainError('password-replaced');
    if (user.demo) throw new DomainError('forbidden');
    const { username, passwordHash } = user;
    const store = async (...change: StoredChange) => {
      const isStored = await users.changePassword(username, passwordHash, ...change).catch(explainOutage);
      if (!isStored) throw new DomainError('password-replaced');
    };
    if (!keepsPrevious || user.oneTimeUntil) {
      await store(await inTurn(() => hashPassword(password)));
      return { user, previousUntil: null };
    }
    const [next, hash] = await inTurn(() => hashBoth(password, credentials.password));
    const until = await users.now(OVERLAP_MS);
    await store(next, { hash, until });
    return { user, previousUntil: until };
  });
}

type StoredChange =
  Parameters<UserStore['changePassword']> extends [string, string, ...infer Change] ? Change : never;

/** An update that was not answered may be stored. */
function explainOutage(cause: unknown): never {
  throw isTransientError(cause) ? new DomainError('password-unknown', { cause }) : cause;
}
