import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { EVENTS } from '#shared/tracking/event-model.ts';
import { repeatOnceConnected, SWEEP_MS } from '../platform/repeat.ts';
import { openIndexes } from '../platform/stores.ts';
import { EventRegister } from './event-register.ts';
import type { Handover } from './handover.ts';

declare module 'fastify' {
  interface FastifyInstance {
    eventLog: EventLog;
    events: EventRegister;
    /** Called with each account whose log has grown. */
    onEvents: ((account: string) => void)[];
    /** Knows which guides were handed over together; absent without such a room. */
    handover: Handover | undefined;
  }
}

/** Opens the log of events, and sweeps for registrations that a crash has cut. */
export const trackingPlugin = fp(async (server: HttpServer) => {
  openIndexes(server, EVENTS);
  const log = new EventLog(server.mongo);
  const listeners: ((account: string) => void)[] = [];
  const events = new EventRegister(
    { log, guides: server.guides, adjustersOf: (guides) => server.adjustersOf(guides) },
    server.metrics,
    (account) => {
      for (const listener of listeners) listener(account);
    },
  );
  const options = {
    name: 'events that a crash has cut',
    pauseMs: SWEEP_MS,
    failed: 'What a crash has cut of events waits for the next sweep',
  };
  repeatOnceConnected(server, options, () => events.sweep(server.log));
  server.decorate('eventLog', log);
  server.decorate('events', events);
  server.decorate('onEvents', listeners);
  server.decorate('handover', undefined);
});
