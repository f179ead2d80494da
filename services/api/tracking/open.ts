import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { EVENTS, type EventBody } from '#shared/tracking/event-model.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Branches } from '../branches/open.ts';
import type { Guides } from '../guides/open.ts';
import type { Base } from '../http/room.ts';
import { Port } from '../platform/port.ts';
import { repeatOnceConnected, SWEEP_MS } from '../platform/repeat.ts';
import { EventRegister } from './event-register.ts';
import type { Follower } from './following.ts';
import type { Handover } from './handover.ts';
import type { PageLink } from './page-links.ts';

/** What the room provides. */
export type Tracking = ReturnType<typeof openTracking>;
export type TrackingContext = Base & Accounts & Branches & Guides & Tracking;

/** Opens the log of events, and sweeps for registrations that a crash has cut. */
export function openTracking(server: HttpServer, context: Base & Guides) {
  const { mongo, indexes, metrics, guides, adjustersOf, log } = context;
  indexes.add(EVENTS);
  const eventLog = new EventLog(mongo);
  /** Called with each account whose log has grown. Rooms above add theirs. */
  const onEvents: ((account: string) => void)[] = [];
  /** Rooms above add theirs. */
  const followers: Follower[] = [];
  const events = new EventRegister(
    { log: eventLog, guides, adjustersOf: (weighed) => adjustersOf.value(weighed), followers },
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
  /** Return what the tracking page of a guide leads to. Rooms above add theirs. */
  const pageLinks: ((guide: GuideDocument) => PageLink[])[] = [];
  /** Knows which guides were handed over together; undefined without such a room. */
  const handover = new Port<Handover | undefined>(undefined);
  /** Returns what the tracking page says after "Entregado" of a guide with these events, such as ", con firma". */
  const trackingTitle = new Port<(told: readonly EventBody[]) => string>(() => '');
  return { eventLog, events, followers, onEvents, pageLinks, handover, trackingTitle };
}
