import type { Connection } from 'mongoose';
import { type ApiUser, UserStore } from '#shared/accounts/user-store.ts';
import { forAccounts, type PersonalData } from '../../platform/personal-data.ts';

/**
 * Closes the account that a user is about to leave, if it has no other user. Call it while the user still names the account, so that
 * an interrupted command closes it when it is repeated.
 *
 * @returns lines for the operator, each after a line break.
 */
export async function closeIfLast(
  mongo: Connection,
  { username, account }: Pick<ApiUser, 'username' | 'account'>,
  personalData: readonly PersonalData[],
): Promise<string> {
  if (await new UserStore(mongo).hasOthers(account, username)) return '';
  const lines: string[] = [];
  for (const close of forAccounts(personalData, 'closeAccount')) lines.push(await close(mongo, account));
  return lines.join('');
}

/** @throws Error that says why, if the account may not be closed yet, and the user is its last one. */
export async function requireClosable(
  mongo: Connection,
  { username, account }: Pick<ApiUser, 'username' | 'account'>,
  personalData: readonly PersonalData[],
): Promise<void> {
  if (await new UserStore(mongo).hasOthers(account, username)) return;
  for (const refuse of forAccounts(personalData, 'refuseClosing')) {
    const reason = await refuse(mongo, account);
    if (reason !== '') throw new Error(reason);
  }
}
