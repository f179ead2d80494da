import type { HttpServer } from '#shared/http/http-server.ts';
import { RETURNS } from '#shared/returns/return-model.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Branches } from '../branches/open.ts';
import type { Guides } from '../guides/open.ts';
import type { Base } from '../http/room.ts';
import type { Labels } from '../labels/open.ts';
import { repeatOnceConnected } from '../platform/repeat.ts';
import type { Quotes } from '../quotes/open.ts';
import type { Tracking } from '../tracking/open.ts';
import { cancelUnscanned } from './cancel-unscanned.ts';
import { onLabels, onTrackingPages } from './return-facts.ts';
import { ReturnStore } from './return-store.ts';

/** What the room provides. */
export type Returns = ReturnType<typeof openReturns>;
export type ReturnsContext = Base & Accounts & Branches & Guides & Labels & Quotes & Tracking & Returns;

/** Pause between looks for returns that nobody has scanned, in ms. */
const LOOK_MS = 60_000;

/** Opens the store of returns, and says on labels and pages what belongs to a return. */
export function openReturns(server: HttpServer, context: Base & Guides & Labels & Tracking) {
  const { mongo, indexes, journal, labelAdditions, pageLinks, followers, guides, events, log } = context;
  indexes.add(RETURNS);
  const returns = new ReturnStore(mongo);
  journal.onStored.push((entry) => returns.follow(entry));
  labelAdditions.push(onLabels);
  pageLinks.push(onTrackingPages);
  followers.push(async (followed) => {
    for (const { guide, told } of followed)
      if (told.some(({ Tipo }) => Tipo === 'Cancelacion')) await returns.free(guide);
  });
  const options = {
    name: 'returns that nobody has scanned',
    pauseMs: LOOK_MS,
    failed: 'Returns that nobody has scanned wait for the next look',
  };
  repeatOnceConnected(server, options, () => cancelUnscanned({ returns, guides, events }, log));
  return { returns };
}
