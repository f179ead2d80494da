import { COD_COLLECTIONS } from '#shared/cod/collection-model.ts';
import { COD_LEDGER } from '#shared/cod/ledger-model.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Guides } from '../guides/open.ts';
import type { Base } from '../http/room.ts';
import type { Labels } from '../labels/open.ts';
import type { Tracking } from '../tracking/open.ts';
import type { Webhooks } from '../webhooks/open.ts';
import { checkCollected } from './check-collected.ts';
import { CollectionStore } from './collection-store.ts';
import { followerOf } from './follow-events.ts';
import { Ledger } from './ledger.ts';
import { marksOf } from './marks.ts';
import { RemittanceNews } from './publish-news.ts';

/** What the room provides. */
type Cod = ReturnType<typeof openCod>;
export type CodContext = Base & Accounts & Guides & Tracking & Cod;

/** Opens the ledger, and adds to rooms below what is to be collected, and what was. */
export function openCod(
  _server: HttpServer,
  context: Base & Accounts & Guides & Labels & Tracking & Webhooks,
) {
  const { mongo, indexes, collecting, labelAdditions, requireMarks, followers, eventLog, topics } = context;
  indexes.add(COD_LEDGER, COD_COLLECTIONS);
  const ledger = new Ledger(mongo);
  const collections = new CollectionStore(mongo);
  collecting.fill(checkCollected(requireMarks));
  labelAdditions.push(marksOf);
  followers.push(followerOf({ ledger, collections, eventLog }));
  topics.push(new RemittanceNews({ ledger, publish: context.publish, localTime: context.localTime }));
  return { ledger, collections };
}
