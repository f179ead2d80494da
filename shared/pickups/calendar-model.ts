import {
  body,
  type DocumentIn,
  defineCollection,
  KEYWORD,
  MOMENT,
  NUMBER,
} from '#shared/stores/collection.ts';

/** Days of a week as the calendar names them, in the order of `Date.getUTCDay`. */
export const WEEKDAYS = ['dom', 'lun', 'mar', 'mie', 'jue', 'vie', 'sab'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A row of `recolecciones.csv`: on this day of the week a branch picks up. Times are the branch's own, `HH:MM`. */
export type PickupRow = {
  branch: string;
  weekday: Weekday;
  from: string;
  to: string;
  /** Until when to ask, and whether that is on the calendar day before. */
  cutoff: string;
  isDayBefore: boolean;
  /** Most pick-ups of a window; absent for no bound. */
  capacity?: number;
  /** Whether pick-ups are scheduled by themselves at the cut-off. */
  automatic: boolean;
};
/** A row of `dias_sin_recoleccion.csv`: a day on which nobody picks up, at one branch or at all. */
export type ClosedDay = { date: string; branch?: string; reason: string };
export type PickupCalendar = { rows: readonly PickupRow[]; closedDays: readonly ClosedDay[] };

/**
 * Calendars by number, of which the last one is in force. A calendar is one document, so that one insert replaces it, and no reader
 * sees half of it.
 */
export const PICKUP_CALENDARS = defineCollection(
  'pickupCalendars',
  {
    _id: NUMBER,
    at: MOMENT,
    /** The operator. */
    by: KEYWORD,
    calendar: body<PickupCalendar>(),
  },
  {
    id: 'Number',
    holds: 'The days and hours at which branches pick up',
    life: 'For ever; as many as there were loads',
    people: { calendar: 'nobody: hours of branches, and names of holidays' },
    testAccounts: { stay: 'Nothing of an account' },
    rights: { api: ['find'], admin: ['find', 'insert'], demo: ['find', 'insert'] },
  },
);
export type StoredCalendar = DocumentIn<typeof PICKUP_CALENDARS>;
/** Which calendar is in force, since when, and who loaded it. */
export type CalendarEntry = Omit<StoredCalendar, 'calendar'>;
