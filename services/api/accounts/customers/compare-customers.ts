import type { Connection } from 'mongoose';
import { type AccountKind, type ListedUser, UserStore } from '#shared/accounts/user-store.ts';
import { LineReport } from '#shared/commands/csv.ts';
import { changedCells, differenceOf, type Table } from '#shared/loads/difference.ts';
import { chunks } from '#shared/stores/chunks.ts';
import type { PersonalData } from '../../platform/personal-data.ts';
import { formerKind, refusalOf } from '../account-kinds.ts';
import { type AccountLimits, AccountLimitsStore } from '../account-limits.ts';
import type { Customer, CustomerFile, FileAccount } from './customer-file.ts';

/** Users in one query. */
const AT_ONCE = 1_000;
/** Accounts whose guides are looked for at once. */
const GUIDES_AT_ONCE = 25;

/** The columns are words for what differs. */
const USERS: Table<Pick<ListedUser, 'username' | 'account' | 'permissions' | 'originBranch'>> = {
  name: 'usuarios',
  columns: ['otro usuario', 'otra cuenta', 'otros permisos', 'otro origen'],
  keys: 1,
  cells: ({ username, account, permissions, originBranch }) => [
    ...[username, account],
    permissions.toSorted().join(' ') || 'ninguno',
    originBranch ?? 'ninguno',
  ],
};

export type Comparison = {
  missing: Customer[];
  /** Limits of accounts that have none and no user yet, by account. */
  limits: Map<string, Partial<AccountLimits>>;
  /** Number of users that exist as the file has them. */
  existing: number;
  /** Accounts without users that have guides of former ones. */
  former: string[];
  /** Users and limits that are stored, and not as the file has them. */
  differences: LineReport;
};

/**
 * Compares a file of customers with what is stored.
 * @param personalData tells which accounts without users were for rehearsals.
 * @param report receives the lines that would mix test accounts with others.
 */
export async function compareCustomers(
  mongo: Connection,
  { customers, accounts }: CustomerFile,
  personalData: readonly PersonalData[],
  report: LineReport,
): Promise<Comparison> {
  const users = new UserStore(mongo, { allowDemo: true });
  const found: Comparison = {
    missing: [],
    limits: new Map(),
    existing: 0,
    former: [],
    differences: new LineReport(),
  };
  for (const chunk of chunks([...accounts], AT_ONCE))
    await compareAccounts({ mongo, users, personalData }, chunk, report, found);
  for (const chunk of chunks(customers, AT_ONCE)) {
    const stored = await users.findAll(chunk.map(({ username }) => username));
    const { added, changed } = differenceOf(USERS, stored, chunk);
    found.missing.push(...added);
    found.existing += chunk.length - added.length - changed.length;
    for (const change of changed) {
      const { line, username } = change.after;
      const words = changedCells(USERS, change).map(({ column, before }) => `${column}: ${before}`);
      const reason = `ya existe, con ${words.join('; ')}`;
      found.differences.add({ line, column: 'Usuario', value: username, reason });
    }
  }
  return found;
}

async function compareAccounts(
  {
    mongo,
    users,
    personalData,
  }: { mongo: Connection; users: UserStore; personalData: readonly PersonalData[] },
  accounts: readonly (readonly [name: string, account: FileAccount])[],
  report: LineReport,
  found: Comparison,
): Promise<void> {
  const names = accounts.map(([name]) => name);
  const kinds = await users.kindsOf(names);
  const kindsOfGuides = await kindsOfFormer(
    personalData,
    mongo,
    names.filter((name) => !kinds.has(name)),
  );
  const limits = await new AccountLimitsStore(mongo).findAll(names);
  for (const [name, { line, test, limits: wanted }] of accounts) {
    const kind = kinds.get(name) ?? kindsOfGuides.get(name);
    if (kindsOfGuides.get(name) !== undefined) found.former.push(name);
    const reason = refusalOf(kind, test ? 'test' : 'customer');
    if (reason !== undefined)
      report.add({ line, column: 'Cuenta', value: name, reason: `la cuenta ${reason}` });
    if (Object.keys(wanted).length === 0) continue;
    const own = limits.get(name);
    if (!own && !kinds.has(name)) found.limits.set(name, wanted);
    else if (!isEqual(wanted, own ?? {})) {
      found.differences.add({ line, column: 'Cuenta', value: name, reason: 'ya existe, con otros limites' });
    }
  }
}

/** Returns the kinds that accounts without users had, of those of which something is stored. */
async function kindsOfFormer(
  personalData: readonly PersonalData[],
  mongo: Connection,
  accounts: readonly string[],
) {
  const kinds = new Map<string, AccountKind | undefined>();
  for (const chunk of chunks(accounts, GUIDES_AT_ONCE)) {
    const found = chunk.map(async (account) =>
      kinds.set(account, await formerKind(personalData, mongo, account)),
    );
    await Promise.all(found);
  }
  return kinds;
}

function isEqual(one: object, other: object): boolean {
  const entries = (value: object) => JSON.stringify(Object.entries(value).toSorted());
  return entries(one) === entries(other);
}
