import { GUIDES } from '#shared/guides/guide-model.ts';
import { type PersonalData, replaceUser } from '../platform/personal-data.ts';
import { GuideStore, guideSteps } from './guide-store.ts';
import { untilStored } from './until-stored.ts';

const GUIDES_AT_A_TIME = 2_000;

export const guidesPersonalData: PersonalData = {
  keeps:
    '`guides` has the guide as it was sent, for `RETENTION_DAYS`: by default for ever, which the api logs at start; and the names of API users. `creations` has the guides of a creation until they are stored',
  users: {
    async moveToAccount(mongo, username, account, onGuides) {
      for await (const step of new GuideStore(mongo).moveToAccount(username, account)) onGuides(step);
    },
    /** Waits for guides that are not stored yet. The rooms above follow, so they find what belongs to these guides. */
    async forgetUser(mongo, username, onGuides) {
      await untilStored(mongo);
      for await (const { filter, count } of guideSteps(mongo, GUIDES_AT_A_TIME)) {
        await replaceUser(mongo, GUIDES, username, filter);
        onGuides(count);
      }
    },
    ...{ endAccess: 'none', describeRemaining: 'none' },
  },
  accounts: {
    isOfTests: (mongo, account) => new GuideStore(mongo).areTests(account),
    async describeInherited(mongo, account) {
      return (await new GuideStore(mongo).areTests(account)) === undefined ? '' : 'sus guias';
    },
    refuseClosing: 'none',
    async closeAccount(mongo, account) {
      if ((await new GuideStore(mongo).areTests(account)) === undefined) return '';
      return '\nLas guias que quedan en ella se conservan (las de prueba, 30 dias).';
    },
  },
  /** `anonymise-guides.ts` takes what names persons in a guide itself. */
  besideGuides: 'none',
  accountTexts: 'none',
};
