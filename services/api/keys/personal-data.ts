import type { PersonalData } from '../platform/personal-data.ts';
import { KeyStore } from './key-store.ts';

export const keysPersonalData: PersonalData = {
  keeps:
    '`keys` has names of API users, of their keys, and the day on which each was last used, until the key is ended. Redis has hashes of the addresses that keys came from, for 30 days',
  users: {
    moveToAccount: 'none: a key is of its user, in whatever account',
    forgetUser: 'none: `endAccess` removes the keys of a user',
    describeRemaining: 'none',
    async endAccess(mongo, username) {
      await new KeyStore(mongo).endAll(username);
    },
  },
  accounts: 'none',
  besideGuides: 'none',
  accountTexts: 'none',
};
