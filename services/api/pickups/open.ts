import type { HttpServer } from '#shared/http/http-server.ts';
import { addGauge } from '#shared/observability/metrics.ts';
import { PickupFigures } from '#shared/pickups/overdue-pickups.ts';
import { PICKUPS } from '#shared/pickups/pickup-model.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Branches } from '../branches/open.ts';
import type { Guides } from '../guides/open.ts';
import type { Base } from '../http/room.ts';
import type { Labels } from '../labels/open.ts';
import type { Manifests } from '../manifests/open.ts';
import { repeatOnceConnected, SWEEP_MS } from '../platform/repeat.ts';
import type { Rehearsal } from '../rehearsal/open.ts';
import type { Tracking } from '../tracking/open.ts';
import type { Webhooks } from '../webhooks/open.ts';
import { CalendarStore } from './calendar/calendar-store.ts';
import { CurrentCalendar } from './calendar/current-calendar.ts';
import { changePickup, findScannedPickup } from './change-pickup.ts';
import { PickupStore } from './pickup-store.ts';
import { pickupScenarios } from './play-scenarios.ts';
import { PickupNews } from './publish-news.ts';
import { PickupSettler } from './settle-pickups.ts';

/** Pause between looks for scans that nobody has looked at, in ms: each asks for the last event of each account with pick-ups. */
const SCANS_MS = 30_000;

/** What the room provides. */
export type Pickups = ReturnType<typeof openPickups>;
export type PickupsContext = Base & Accounts & Branches & Guides & Labels & Tracking & Manifests & Pickups;

/** Opens the stores of pick-ups, lets scans end them, and sweeps for what is due or was left. */
export function openPickups(server: HttpServer, context: Base & Tracking & Rehearsal & Manifests & Webhooks) {
  const { mongo, indexes, eventLog, onEvents, scannedWith, log, metrics, config } = context;
  indexes.add(PICKUPS);
  const pickups: PickupStore = new PickupStore(mongo, (pickup) => news.soon(pickup));
  const news = new PickupNews({ pickups, publish: context.publish, log });
  context.topics.push(news);
  const settler = new PickupSettler({ pickups, eventLog, log });
  onEvents.push((account) => settler.soon(account));
  scannedWith.fill({
    field: 'Recoleccion',
    async find(number, account) {
      const pickup = await findScannedPickup(pickups, number, account);
      return async (occurred, username) => {
        // The parcels are picked up, whatever becomes of the pick-up: one that is cancelled stays so.
        await changePickup(pickups, pickup, { to: 'Recolectada', occurred }, username);
      };
    },
  });
  context.scenarios.push(pickupScenarios({ pickups, settler, events: context.events }));
  const failed = 'Pick-ups that are due wait for the next sweep';
  repeatOnceConnected(server, { name: 'pick-ups', pauseMs: SWEEP_MS, failed }, () => settler.schedule());
  repeatOnceConnected(server, { name: 'scans of pick-ups', pauseMs: SCANS_MS, failed }, async () => {
    await settler.sweep();
    await settler.giveUp();
  });
  const figures = new PickupFigures(mongo);
  const unscheduled = 'Pick-ups of customers that nobody has scheduled by their cut-off';
  addGauge(metrics, 'pickups_unscheduled', unscheduled, () => figures.countUnscheduled());
  const unfinished =
    'Pick-ups of customers of which nobody has told what became, two hours after their window';
  addGauge(metrics, 'pickups_unfinished', unfinished, () => figures.countUnfinished());
  const calendar = new CurrentCalendar(new CalendarStore(mongo));
  return { pickups, calendar, settler, timeZone: config.TIME_ZONE };
}
