import type { HttpServer } from '#shared/http/http-server.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { EVENTS } from '#shared/tracking/event-model.ts';
import type { Guides } from '../guides/context.ts';
import type { Base } from '../http/room.ts';
import { Port } from '../platform/port.ts';
import { repeatOnceConnected, SWEEP_MS } from '../platform/repeat.ts';
import type { Tracking } from './context.ts';
import { EventRegister } from './event-register.ts';
import type { Handover } from './handover.ts';

/** Opens the log of events, and sweeps for registrations that a crash has cut. */
export function openTracking(server: HttpServer, context: Base & Guides): Tracking {
  const { mongo, indexes, metrics, guides, adjustersOf, log } = context;
  indexes.add(EVENTS);
  const eventLog = new EventLog(mongo);
  const onEvents: Tracking['onEvents'] = [];
  const events = new EventRegister(
    { log: eventLog, guides, adjustersOf: (weighed) => adjustersOf.value(weighed) },
    metrics,
    (account) => {
      for (const listener of onEvents) listener(account);
    },
  );
  const options = {
    name: 'events that a crash has cut',
    pauseMs: SWEEP_MS,
    failed: 'What a crash has cut of events waits for the next sweep',
  };
  repeatOnceConnected(server, options, () => events.sweep(log));
  return { eventLog, events, onEvents, handover: new Port<Handover | undefined>(undefined) };
}
