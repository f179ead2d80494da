import type { Accounts } from '../accounts/context.ts';
import type { Branches } from '../branches/context.ts';
import type { Base } from '../http/room.ts';
import type { Port } from '../platform/port.ts';
import type { AdjustersOf } from './adjusting.ts';
import type { CreationJournal } from './creation-journal.ts';
import type { GuideList } from './guide-list.ts';
import type { GuideStore } from './guide-store.ts';
import type { Pricing } from './pricing.ts';

/** What guides provide. */
export type Guides = {
  guides: GuideStore;
  guideList: GuideList;
  journal: CreationJournal;
  pricing: Port<Pricing>;
  adjustersOf: Port<AdjustersOf>;
};
export type GuidesContext = Base & Accounts & Branches & Guides;
