import type { EventLog } from '#shared/tracking/event-log.ts';
import type { Accounts } from '../accounts/context.ts';
import type { Branches } from '../branches/context.ts';
import type { Guides } from '../guides/context.ts';
import type { Base } from '../http/room.ts';
import type { Port } from '../platform/port.ts';
import type { EventRegister } from './event-register.ts';
import type { Handover } from './handover.ts';

/** What tracking provides. */
export type Tracking = {
  eventLog: EventLog;
  events: EventRegister;
  /** Called with each account whose log has grown. Rooms above add theirs. */
  onEvents: ((account: string) => void)[];
  /** Knows which guides were handed over together; undefined without such a room. */
  handover: Port<Handover | undefined>;
};
export type TrackingContext = Base & Accounts & Branches & Guides & Tracking;
