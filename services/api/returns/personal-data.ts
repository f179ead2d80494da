import { RETURNS } from '#shared/returns/return-model.ts';
import { type PersonalData, replaceUser } from '../platform/personal-data.ts';
import { ReturnStore } from './return-store.ts';

export const returnsPersonalData: PersonalData = {
  keeps:
    '`returns` has the names of API users, and digests of links by which a person prints a label with both addresses, for 30 days',
  users: {
    moveToAccount: (mongo, username, account) => new ReturnStore(mongo).moveToAccount(username, account),
    forgetUser: (mongo, username) => replaceUser(mongo, RETURNS, username),
    endAccess: (mongo, username) => new ReturnStore(mongo).endLinksOf(username),
    describeRemaining: 'none',
  },
  accounts: {
    ...{ isOfTests: 'none', describeInherited: 'none', refuseClosing: 'none' },
    closeAccount: 'none: returns stay with their guides',
  },
  besideGuides: 'none',
  accountTexts: 'none',
};
