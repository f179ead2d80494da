import { NOTICE_ACCOUNTS } from '#shared/notices/notice-model.ts';
import { type PersonalData, replaceUser } from '../platform/personal-data.ts';
import { NoticeAccounts } from './account-store.ts';

export const noticesPersonalData: PersonalData = {
  keeps:
    '`notices` has numbers of guides and what became of their e-mails, for 30 days, and no address. `noticeRefusals` has hashes of the addresses of those who want none, keyed with `NOTICES_SECRET`, until they take it back: an erasure leaves them, so that nobody who has refused is written to. Redis has such hashes of those who were written to, for 24 hours. `noticeAccounts` has the names of API users',
  users: {
    moveToAccount: 'none: whether recipients are told is what the account has said',
    forgetUser: (mongo, username) => replaceUser(mongo, NOTICE_ACCOUNTS, username),
    ...{ endAccess: 'none', describeRemaining: 'none' },
  },
  accounts: {
    ...{ isOfTests: 'none', refuseClosing: 'none' },
    async describeInherited(mongo, account) {
      return (await new NoticeAccounts(mongo).find(account))?.active ? 'sus avisos a destinatarios' : '';
    },
    async closeAccount(mongo, account) {
      const wasActive = await new NoticeAccounts(mongo).remove(account);
      return wasActive ? '\nYa no se avisa a los destinatarios de sus guias.' : '';
    },
  },
  besideGuides: 'none',
  accountTexts: 'none',
};
