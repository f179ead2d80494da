import { CREATIONS } from '#shared/guides/creation-model.ts';
import { GUIDES } from '#shared/guides/guide-model.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Branches } from '../branches/open.ts';
import type { Base } from '../http/room.ts';
import { Port } from '../platform/port.ts';
import { repeatOnceConnected, SWEEP_MS } from '../platform/repeat.ts';
import { NO_ADJUSTMENTS } from './adjusting.ts';
import { NOTHING_COLLECTED } from './collecting.ts';
import { CreationJournal } from './creation-journal.ts';
import { GuideList } from './guide-list.ts';
import { GuideStore } from './guide-store.ts';
import { NO_PRICES } from './pricing.ts';

/** What the room provides. */
export type Guides = ReturnType<typeof openGuides>;
export type GuidesContext = Base & Accounts & Branches & Guides;

/** Opens the stores of guides, and sweeps for creations that a crash has cut. */
export function openGuides(server: HttpServer, { mongo, indexes, log }: Base) {
  indexes.add(GUIDES, CREATIONS);
  const guides = new GuideStore(mongo);
  const journal = new CreationJournal(mongo, guides);
  const options = {
    name: 'creations that a crash has cut',
    pauseMs: SWEEP_MS,
    failed: 'What a crash has cut of creations waits for the next sweep',
  };
  repeatOnceConnected(server, options, () => journal.sweep(log));
  return {
    guides,
    guideList: new GuideList(mongo),
    journal,
    pricing: new Port(NO_PRICES),
    adjustersOf: new Port(NO_ADJUSTMENTS),
    collecting: new Port(NOTHING_COLLECTED),
  };
}
