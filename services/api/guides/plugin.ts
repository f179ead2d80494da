import fp from 'fastify-plugin';
import { CREATIONS } from '#shared/guides/creation-model.ts';
import { GUIDES } from '#shared/guides/guide-model.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { repeatOnceConnected, SWEEP_MS } from '../platform/repeat.ts';
import { openIndexes } from '../platform/stores.ts';
import { type AdjustersOf, NO_ADJUSTMENTS } from './adjusting.ts';
import { CreationJournal } from './creation-journal.ts';
import { GuideList } from './guide-list.ts';
import { GuideStore } from './guide-store.ts';
import { NO_PRICES, type Pricing } from './pricing.ts';

declare module 'fastify' {
  interface FastifyInstance {
    guides: GuideStore;
    guideList: GuideList;
    journal: CreationJournal;
    pricing: Pricing;
    adjustersOf: AdjustersOf;
  }
}

/** Opens the stores of guides, and sweeps for creations that a crash has cut. */
export const guidesPlugin = fp(async (server: HttpServer) => {
  openIndexes(server, GUIDES, CREATIONS);
  const guides = new GuideStore(server.mongo);
  const journal = new CreationJournal(server.mongo, guides);
  const options = {
    name: 'creations that a crash has cut',
    pauseMs: SWEEP_MS,
    failed: 'What a crash has cut of creations waits for the next sweep',
  };
  repeatOnceConnected(server, options, () => journal.sweep(server.log));
  server.decorate('guides', guides);
  server.decorate('guideList', new GuideList(server.mongo));
  server.decorate('journal', journal);
  server.decorate('pricing', NO_PRICES);
  server.decorate('adjustersOf', NO_ADJUSTMENTS);
});
