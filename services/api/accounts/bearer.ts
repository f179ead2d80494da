import type { ApiUser } from '#shared/accounts/user-store.ts';

/**
 * Whom a credential lets in. `user` has only the permissions that the credential leaves, as read up to five seconds ago.
 * `keyStart`: the public beginning of the API key (`Inicio`), such as gk_live_Xy3k; absent for a token.
 */
export type Bearer = {
  user: ApiUser;
  keyStart?: string;
  expiresAt?: Date;
  /** Returns the user as `user`, by what MongoDB has now; undefined if the credential has ended. */
  findNow(): Promise<ApiUser | undefined>;
};

/** A kind of credential that is sent where a token goes. Rooms above accounts may know one. */
export type BearerKind = {
  /** Returns whether a credential is meant to be of this kind, right or wrong. */
  accepts(credential: string): boolean;
  /**
   * Returns whom the credential lets in. The caller refuses users who are disabled.
   * @param sender the client's network address, and the id of its request.
   * @throws DomainError `access-denied`, or a LoginRefusal.
   */
  identify(credential: string, sender: { address: string; requestId: string }): Promise<Bearer>;
};
