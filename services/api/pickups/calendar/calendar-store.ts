import type { Connection } from 'mongoose';
import { DomainError } from '#shared/errors/domain-error.ts';
import {
  type CalendarEntry,
  PICKUP_CALENDARS,
  type PickupCalendar,
  type StoredCalendar,
} from '#shared/pickups/calendar-model.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { isDuplicateKey } from '#shared/stores/mongo.ts';

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes {
    /** Somebody else has loaded a calendar meanwhile. */
    'calendar-changed': unknown;
  }
}

/** Before the first load nobody picks up. */
export const NO_CALENDAR: PickupCalendar = { rows: [], closedDays: [] };

/** The calendars of pick-ups in MongoDB. The one with the greatest number is in force. */
export class CalendarStore {
  readonly #clock: DatabaseClock;
  readonly #calendars: StoredModel<StoredCalendar>;

  constructor(connection: Connection) {
    this.#clock = new DatabaseClock(connection);
    this.#calendars = modelOf(connection, PICKUP_CALENDARS);
  }

  /** Returns the number of the calendar in force; 0 before the first load. */
  async version(): Promise<number> {
    const newest = await this.#calendars
      .findOne()
      .readConcern('majority')
      .select<{ _id: number }>({ _id: 1 })
      .sort({ _id: -1 })
      .lean();
    return newest?._id ?? 0;
  }

  /** Returns a calendar by its number; undefined if there is none. */
  async read(number: number): Promise<StoredCalendar | undefined> {
    return (await this.#calendars.findOne({ _id: number }).readConcern('majority').lean()) ?? undefined;
  }

  /** Returns which calendars there are, the newest first. */
  entries(): Promise<CalendarEntry[]> {
    return this.#calendars.find().select<CalendarEntry>({ calendar: 0 }).sort({ _id: -1 }).lean().exec();
  }

  /**
   * Puts a calendar in force.
   * @param last number of the one in force, with which it was compared.
   * @returns its number. @throws DomainError `calendar-changed` if another one came in force since.
   */
  async add(last: number, calendar: PickupCalendar, by: string): Promise<number> {
    try {
      await this.#calendars.create({ _id: last + 1, at: await this.#clock.now(), by, calendar });
      return last + 1;
    } catch (error) {
      throw isDuplicateKey(error) ? new DomainError('calendar-changed') : error;
    }
  }
}
