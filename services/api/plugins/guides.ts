import { setTimeout as delay } from 'node:timers/promises';
import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';
import { CreationJournal } from '../guides/creation-journal.ts';
import { GuideList } from '../guides/guide-list.ts';
import { GuideStore } from '../guides/guide-store.ts';

declare module 'fastify' {
  interface FastifyInstance {
    guides: GuideStore;
    guideList: GuideList;
    /** Creates guides, all of a request or none. */
    journal: CreationJournal;
  }
}

/** Pause between two looks of a process for creations that a crash has cut, in ms. */
const SWEEP_MS = 10_000;

/** Opens the guides, and finishes again and again the creations that a crash has cut. */
export default fp(
  async (server: HttpServer, { config }: ApiOptions) => {
    const guides = new GuideStore(server.mongo);
    const guideList = new GuideList(server.mongo);
    const journal = new CreationJournal(server.mongo, guides, config.IDEMPOTENCY_KEY_DAYS);
    server.startup.onceConnected('the indexes of the list of guides', () => guideList.open());
    server.startup.onceConnected('the indexes of the journal of creations', () => journal.open());
    addSweeps(server, journal);
    server.decorate('guides', guides);
    server.decorate('guideList', guideList);
    server.decorate('journal', journal);
  },
  { name: 'guides', dependencies: ['stores'] },
);

/** Sweeps again and again, ten seconds after the last sweep; a server that closes waits for the one that runs. */
function addSweeps(server: HttpServer, journal: CreationJournal): void {
  const end = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const sweepUntilEnd = async () => {
    while (!end.signal.aborted) {
      await journal
        .sweep(server.log)
        .catch((err) => server.log.warn({ err }, 'Creations that were cut wait for the next sweep'));
      await delay(SWEEP_MS, undefined, { signal: end.signal, ref: false }).catch(() => {});
    }
  };
  server.addHook('onClose', async () => {
    end.abort();
    await running;
  });
  server.startup.onceConnected('creations that a crash has cut', async () => {
    running = sweepUntilEnd();
  });
}
