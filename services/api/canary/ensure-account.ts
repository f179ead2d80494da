import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { hashPassword, matchingHash } from '#shared/accounts/passwords.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { canaryNames } from '#shared/canary/names.ts';
import type { Permission } from '#shared/rooms.ts';
import { type AccountLimits, AccountLimitsStore } from '../accounts/account-limits.ts';
import { isKey } from '../keys/key.ts';
import { KeyStore } from '../keys/key-store.ts';

/** What the canary shows to the api. */
export type CanarySecrets = { key: string; password: string };

type Wanted = {
  username: string;
  account: string;
  cell: string;
  permissions: Permission[];
  password?: string;
};

/** What the canary's rounds do, and no more: the key stands in another service. */
const KEY_PERMISSIONS: Permission[] = [
  ...(['guias.create', 'guias.read', 'guias.cancel', 'guias.quote', 'webhooks.admin'] as const),
];

/** Ways in of a small installation: the address of customers, and two api processes, as while one replaces the other. */
export const DEFAULT_WAYS = 3;

/** A name of the canary's is a customer's, who keeps it. */
export class CanaryNameTaken extends Error {}

/**
 * Makes the canary's account as it must be (docs/contract.md "Canary"): its two users, its limits, and `key` as its only key.
 * Whatever differs is changed, also a user that was disabled, and keys that somebody made who knew the password.
 * @param of.ways how many ways in the canary tries: the address of customers, and each api process.
 * @returns whether anything was changed.
 * @throws CanaryNameTaken; Error for the operator if `key` is none.
 */
export async function ensureCanaryAccount(
  mongo: Connection,
  { key, password, cell, ways = DEFAULT_WAYS }: CanarySecrets & { cell: string; ways?: number | undefined },
): Promise<{ changed: boolean; account: string }> {
  if (!isKey(key)) throw new Error('CANARY_KEY no tiene la forma de una llave: gk_test_ y 49 caracteres');
  const { account, user, loginUser } = canaryNames(cell);
  const [users, keys] = [new UserStore(mongo), new KeyStore(mongo)];
  await requireNoCustomer(users, account, cell);
  // The limits come first, so that no key works without them.
  const changes = [
    await ensureSettings(mongo, account, limitsFor(ways)),
    // The user that logs in may do nothing, because a password can make keys.
    await ensureUser(users, { username: user, account, cell, permissions: KEY_PERMISSIONS }),
    await ensureUser(users, { username: loginUser, account, cell, permissions: [], password }),
    await keys.keepOnly(key, { username: user, name: 'guardia' }),
    (await keys.endAll(loginUser)) > 0,
  ];
  return { changed: changes.includes(true), account };
}

/**
 * Returns limits just above what the canary needs: a round of seven requests each 15 s by each way in, three rounds within 15 s
 * after a bad one, at most once in two minutes, and the series beside them. A stolen key can do no more.
 */
function limitsFor(ways: number): AccountLimits {
  return {
    requestsPerSecond: ways,
    requestsBurst: 20 * ways,
    guidesPerDay: 9_000 * ways,
    labelPages: 2 * ways,
  };
}

/** @throws CanaryNameTaken if the account has a user that is not the canary's of this cell. */
async function requireNoCustomer(users: UserStore, account: string, cell: string): Promise<void> {
  for await (const { username, canaryOf } of users.list({ account })) {
    if (canaryOf !== cell)
      throw new CanaryNameTaken(
        `La cuenta ${account} tiene un usuario que no es del cliente de prueba (canary): ${username}`,
      );
  }
}

/** Its guides have no quote, so it must not be bound to quotes. */
async function ensureSettings(mongo: Connection, account: string, wanted: AccountLimits): Promise<boolean> {
  const settings = new AccountLimitsStore(mongo);
  const { unquotedGuides, ...stored } = await settings.find(account);
  const names = Object.keys(wanted) as (keyof AccountLimits)[];
  if (unquotedGuides === undefined && names.every((name) => stored[name] === wanted[name])) return false;
  await settings.set(account, wanted);
  await settings.unset(account, ['unquotedGuides']);
  return true;
}

async function ensureUser(
  users: UserStore,
  { username, account, cell, permissions, password }: Wanted,
): Promise<boolean> {
  const found = await users.find(username);
  if (!found) {
    return users.create({
      username,
      account,
      permissions,
      originBranch: null,
      passwordHash: await hashPassword(password ?? randomBytes(32).toString('base64url')),
      disabled: false,
      test: true,
      canaryOf: cell,
    });
  }
  if (found.canaryOf !== cell)
    throw new CanaryNameTaken(`El usuario ${username} no es del cliente de prueba (canary)`);
  const missing = permissions.filter((each) => !found.permissions.includes(each));
  const unwanted = found.permissions.filter((each) => !permissions.includes(each));
  const hasPassword =
    password === undefined || (await matchingHash([found.passwordHash], password)) !== undefined;
  if (missing.length > 0) await users.grant(username, missing);
  if (unwanted.length > 0) await users.revoke(username, unwanted);
  if (!hasPassword) await users.set(username, { passwordHash: await hashPassword(password) });
  if (found.disabled) await users.set(username, { disabled: false });
  return missing.length > 0 || unwanted.length > 0 || !hasPassword || found.disabled;
}
