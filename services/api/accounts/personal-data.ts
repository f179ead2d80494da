import { AUDIT_DAYS } from '#shared/audit/audit-store.ts';
import type { PersonalData } from '../platform/personal-data.ts';
import { AccountLimitsStore } from './account-limits.ts';

/** The commands themselves store and remove users. */
export const accountsPersonalData: PersonalData = {
  keeps: `\`users\` has names of API users until \`npm run admin -- remove\`. \`audit\` has names and network addresses of API users and operators, for ${AUDIT_DAYS} days. Redis has hashes of a user's addresses, for 30 days`,
  users: 'none',
  accounts: {
    ...{ isOfTests: 'none', describeInherited: 'none', refuseClosing: 'none' },
    async closeAccount(mongo, account) {
      await new AccountLimitsStore(mongo).remove(account);
      return `\nLa cuenta ${account} ya no tiene usuarios. Sus limites propios se quitaron.`;
    },
  },
  besideGuides: 'none',
  accountTexts: 'none',
};
