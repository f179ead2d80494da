import type { HttpServer } from '#shared/http/http-server.ts';
import type { Base } from '../http/room.ts';
import type { OtherScenarios } from './simulate-events.ts';

/** What the room provides. */
export type Rehearsal = ReturnType<typeof openRehearsal>;

export function openRehearsal(_server: HttpServer, _base: Base) {
  /** Scenarios of rooms above, which add theirs. */
  return { scenarios: [] as OtherScenarios[] };
}
