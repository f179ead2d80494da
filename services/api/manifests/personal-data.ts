import { MANIFESTS } from '#shared/manifests/manifest-model.ts';
import { type PersonalData, replaceUser } from '../platform/personal-data.ts';
import { ManifestStore } from './manifest-store.ts';

export const manifestsPersonalData: PersonalData = {
  keeps: '`manifests` has the names of API users',
  users: {
    moveToAccount: (mongo, username, account) => new ManifestStore(mongo).moveToAccount(username, account),
    async forgetUser(mongo, username) {
      await new ManifestStore(mongo).dropKeys(username);
      await replaceUser(mongo, MANIFESTS, username);
    },
    ...{ endAccess: 'none', describeRemaining: 'none' },
  },
  accounts: {
    ...{ isOfTests: 'none', describeInherited: 'none', refuseClosing: 'none' },
    closeAccount: 'none: manifests stay with their guides',
  },
  besideGuides: 'none',
  accountTexts: 'none',
};
