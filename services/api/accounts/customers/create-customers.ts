import type { Connection } from 'mongoose';
import { hashPassword } from '#shared/accounts/passwords.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { type AuditEvent, AuditStore, auditEvent } from '#shared/audit/audit-store.ts';
import { chunks } from '#shared/stores/chunks.ts';
import { AccountLimitsStore } from '../account-limits.ts';
import type { Comparison } from './compare-customers.ts';
import type { Customer } from './customer-file.ts';
import { ONE_TIME_MS, oneTimePassword, type PasswordFile } from './one-time-passwords.ts';

/** Users that are hashed, written and created together. */
const BATCH = 100;

/** Where passwords and the trail go. `operator` is who runs the command; `from` the name of the file of customers. */
type Creation = {
  passwords: PasswordFile;
  operator: Pick<AuditEvent, 'actor' | 'address'>;
  from: string;
  onProgress: (created: number) => void;
};

/**
 * Creates users with one-time passwords, and the limits of their accounts before them. A batch's passwords are on the disk
 * before its users exist, so a command that dies leaves no user without one.
 * @returns the users that somebody else has created meanwhile.
 */
export async function createCustomers(
  mongo: Connection,
  { missing, limits }: Pick<Comparison, 'missing' | 'limits'>,
  { passwords: file, operator, from, onProgress }: Creation,
): Promise<Customer[]> {
  const users = new UserStore(mongo);
  const accounts = new AccountLimitsStore(mongo);
  const trail = new AuditStore(mongo);
  const record = (customers: readonly Customer[], outcome: AuditEvent['outcome']) =>
    trail.insertAll(customers.map((customer) => eventOf(customer, { ...operator, outcome }, from)));
  const overtaken: Customer[] = [];
  let created = 0;
  for (const batch of chunks(missing, BATCH)) {
    const passwords = batch.map(() => oneTimePassword());
    // libuv's threads share the work.
    const hashes = await Promise.all(passwords.map(hashPassword));
    const oneTimeUntil = await users.now(ONE_TIME_MS);
    await file.append(
      batch.map((customer, i) => ({ ...customer, password: passwords[i] ?? '', until: oneTimeUntil })),
    );
    await record(batch, 'started');
    await Promise.all(
      [...new Set(batch.map(({ account }) => account))].map(async (account) => {
        const own = limits.get(account);
        if (own) await accounts.set(account, own);
      }),
    );
    const taken = await users.createAll(
      batch.map(({ line, test, ...user }, i) => ({
        ...user,
        passwordHash: hashes[i] ?? '',
        oneTimeUntil,
        disabled: false,
        ...(test && { test }),
      })),
    );
    await record(
      batch.filter(({ username }) => !taken.has(username)),
      'ok',
    );
    overtaken.push(...batch.filter(({ username }) => taken.has(username)));
    created += batch.length;
    onProgress(created);
  }
  return overtaken;
}

function eventOf(
  { username, account, permissions, originBranch, test }: Customer,
  event: Pick<AuditEvent, 'actor' | 'address' | 'outcome'>,
  file: string,
): AuditEvent {
  const origin = originBranch !== null && { origin: originBranch };
  const details = { account, permissions: permissions.join(','), ...origin, ...(test && { test }), file };
  return auditEvent({ ...event, action: 'admin.create', service: 'admin', subject: username, details });
}
