import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { EventLog, SHOWN_MS } from '#shared/stores/event-log.ts';
import { CreationJournal } from '../guides/creation-journal.ts';
import { EventRegister } from '../guides/events/event-register.ts';
import { GuideList } from '../guides/guide-list.ts';
import { GuideStore } from '../guides/guide-store.ts';
import { ManifestStore } from '../manifests/manifest-store.ts';
import { adjusters } from '../quotes/adjustment.ts';
import { repeatOnceConnected } from '../repeat.ts';

declare module 'fastify' {
  interface FastifyInstance {
    guides: GuideStore;
    guideList: GuideList;
    journal: CreationJournal;
    eventLog: EventLog;
    events: EventRegister;
    manifests: ManifestStore;
  }
}

/** Pause between sweeps for creations that a crash has cut, in ms. */
const SWEEP_MS = 10_000;

/** Opens the stores of guides and events, and sweeps for creations that a crash has cut. */
export const guidesPlugin = fp(async (server: HttpServer) => {
  const guides = new GuideStore(server.mongo);
  const guideList = new GuideList(server.mongo);
  const journal = new CreationJournal(server.mongo, guides);
  const eventLog = new EventLog(server.mongo);
  const adjusterOf = adjusters(server.tariffs, (version) =>
    server.log.warn(`A guide that was weighed has no adjustment: version ${version} of the tariff is gone`),
  );
  const events = new EventRegister({ log: eventLog, guides, adjusterOf }, server.metrics, (account) =>
    wakeWebhooks(server, account),
  );
  for (const [what, cut] of Object.entries({ creations: journal, events })) {
    const name = `${what} that a crash has cut`;
    const failed = `What a crash has cut of ${what} waits for the next sweep`;
    repeatOnceConnected(server, { name, pauseMs: SWEEP_MS, failed }, () => cut.sweep(server.log));
  }
  server.decorate('guides', guides);
  server.decorate('guideList', guideList);
  server.decorate('journal', journal);
  server.decorate('eventLog', eventLog);
  server.decorate('events', events);
  server.decorate('manifests', new ManifestStore(server.mongo));
});

/** Wakes an account's webhooks for new events. If the call fails, they follow within a minute. */
function wakeWebhooks({ webhooks, log }: HttpServer, account: string): void {
  webhooks
    .wake(account, SHOWN_MS)
    .catch((err) => log.warn({ err }, 'Webhooks get new events up to a minute later'));
}
