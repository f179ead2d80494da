import type { Connection } from 'mongoose';
import type { AccountKind } from '#shared/accounts/user-store.ts';
import { forAccounts, type PersonalData } from '../platform/personal-data.ts';

/** Returns the kind that an account without users had, as the first room says that knows; undefined if nothing is stored of it. */
export async function formerKind(
  personalData: readonly PersonalData[],
  mongo: Connection,
  account: string,
): Promise<AccountKind | undefined> {
  for (const isOfTests of forAccounts(personalData, 'isOfTests')) {
    const isTest = await isOfTests(mongo, account);
    if (isTest !== undefined) return isTest ? 'test' : 'customer';
  }
  return undefined;
}

/**
 * Returns why a user of a kind may not join an account, in words for the operator that follow the account's name; undefined if the
 * user may. Test accounts and others never mix, and nobody joins the canary's.
 * @param kind of the account; undefined if nothing is stored of it.
 */
export function refusalOf(kind: AccountKind | undefined, wanted: 'customer' | 'test'): string | undefined {
  if (kind === 'canary') return 'es del cliente de prueba (canary), y no admite a nadie mas';
  if (kind === undefined || kind === wanted) return undefined;
  return `${kind === 'test' ? 'es' : 'no es'} de prueba, y eso no cambia`;
}
