import { hashPassword } from '#shared/auth/passwords.ts';
import type { ApiUser, NewUser, Permission, UserStore } from '#shared/auth/user-store.ts';

/** A refused change, such as of an unknown user; the message is for the operator. */
export class AccountError extends Error {}

type Registration = {
  username: string;
  account: string;
  password: string;
  permissions: Permission[];
  origin: string | null;
};

/** Creates a user. @throws AccountError when a user of this name exists. */
export async function createUser(users: UserStore, user: Registration): Promise<NewUser> {
  const { password, origin, ...rest } = user;
  const passwordHash = await hashPassword(password);
  const created = { ...rest, passwordHash, originBranch: origin, disabled: false };
  if (!(await users.create(created))) throw new AccountError(`El usuario ya existe: ${user.username}`);
  return created;
}

/** Changes a user's password. @throws AccountError for an unknown user, as the functions below do. */
export async function changePassword(users: UserStore, username: string, password: string): Promise<ApiUser> {
  return existing(username, await users.set(username, { passwordHash: await hashPassword(password) }));
}

export async function setDisabled(users: UserStore, username: string, disabled: boolean): Promise<ApiUser> {
  return existing(username, await users.set(username, { disabled }));
}

/** Ends all tokens and sessions that a user has. */
export async function endTokens(users: UserStore, username: string): Promise<ApiUser> {
  return existing(username, await users.endTokens(username));
}

export async function setOrigin(users: UserStore, username: string, origin: string | null): Promise<ApiUser> {
  return existing(username, await users.set(username, { originBranch: origin }));
}

export async function setAccount(users: UserStore, username: string, account: string): Promise<ApiUser> {
  return existing(username, await users.set(username, { account }));
}

export async function changePermissions(
  users: UserStore,
  username: string,
  how: 'grant' | 'revoke',
  permissions: Permission[],
): Promise<ApiUser> {
  return existing(username, await users[how](username, permissions));
}

function existing(username: string, user: ApiUser | undefined): ApiUser {
  if (!user) throw new AccountError(`El usuario no existe: ${username}`);
  return user;
}
