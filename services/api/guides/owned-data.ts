import type { OwnedData } from '../accounts/owned-data.ts';
import { GuideStore } from './guide-store.ts';

export const ownedGuides: OwnedData = {
  isOfTests: (mongo, account) => new GuideStore(mongo).areTests(account),
  async moveToAccount(mongo, username, account, onGuides) {
    for await (const step of new GuideStore(mongo).moveToAccount(username, account)) onGuides(step);
  },
};
