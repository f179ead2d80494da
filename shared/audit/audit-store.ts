import { type Connection, type QueryFilter, Types } from 'mongoose';
import {
  body,
  type DocumentIn,
  defineCollection,
  driverOf,
  KEYWORD,
  MOMENT,
  modelOf,
  oneOf,
  optional,
  type StoredModel,
  typed,
} from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { isDuplicateKey } from '#shared/stores/mongo.ts';

type Details = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Days that an event is kept (docs/security.md "Personal data"). */
export const AUDIT_DAYS = 400;
const DAY_S = 24 * 3_600;
const OPTIONAL_KEYWORD = optional(typed<string | undefined, never>(KEYWORD));

/** Never holds a password, or personal data of senders and recipients. */
export const AUDIT = defineCollection(
  'audit',
  {
    at: MOMENT,
    action: KEYWORD,
    /** The API user, or for commands the operator; `unknown` if a login names no user that exists. */
    actor: KEYWORD,
    account: OPTIONAL_KEYWORD,
    /** The client's IP address, or for commands that of the operator's terminal. */
    address: OPTIONAL_KEYWORD,
    requestId: OPTIONAL_KEYWORD,
    service: KEYWORD,
    /** A user, a job, an account. */
    subject: OPTIONAL_KEYWORD,
    outcome: oneOf(['ok', 'refused', 'failed', 'started']),
    /** Lists hold only what the service itself has made, such as guide numbers, and at most those of one request. */
    details: optional(body<Details | undefined>()),
  },
  {
    id: 'Random',
    holds: 'The audit log: who did what, from where',
    life: `${AUDIT_DAYS} days`,
    people: { details: 'nobody: what the service has made, and what operators typed' },
    testAccounts: { stay: 'What happened is told of all for as long' },
    // Nobody updates or removes events. `mongo-users.ts` creates the indexes, because another TTL would delete the log.
    rights: {
      api: ['insert'],
      dashboard: ['insert'],
      webhooks: ['insert'],
      admin: ['find', 'insert'],
      loads: ['insert'],
    },
    indexes: [
      [{ at: 1 }, { expireAfterSeconds: AUDIT_DAYS * DAY_S }],
      [{ actor: 1, at: -1 }],
      [{ subject: 1, at: -1 }],
    ],
  },
);
export type AuditDocument = DocumentIn<typeof AUDIT>;
export type AuditEvent = Omit<AuditDocument, '_id'>;

/** Absent fields do not restrict. `since` is inclusive, `until` exclusive. */
export type AuditQuery = {
  /** Selects what this user did, and what was done to this user. */
  user?: string | undefined;
  action?: string | undefined;
  address?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

/** The clocks of the process and of the database may differ by this much, in ms, before the database's holds. */
const CLOCKS_DIFFER_MS = 60_000;
/** Longest text of a field, in characters, because some texts come from clients and from command lines. */
const MAX_TEXT = 256;

/** The audit log in MongoDB. Events are inserted and read, never changed; MongoDB removes old ones. */
export class AuditStore {
  readonly #events: StoredModel<AuditDocument>;
  readonly #clock: DatabaseClock;

  constructor(connection: Connection) {
    this.#clock = new DatabaseClock(connection);
    this.#events = modelOf(connection, AUDIT);
  }

  /** Stores an event once, also if the same event is inserted again because nobody knows whether it was stored. */
  async insert(event: AuditDocument): Promise<void> {
    const differenceMs = await this.#clockDifferenceMs();
    await this.#events.insertOne(timed(event, differenceMs)).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
  }

  async insertAll(events: readonly AuditEvent[]): Promise<void> {
    if (events.length === 0) return;
    const differenceMs = await this.#clockDifferenceMs();
    const stored = events.map((event) => timed(event, differenceMs));
    await driverOf(this.#events).insertMany(stored as AuditDocument[]);
  }

  /** Returns by how many ms the time of events is wrong. MongoDB deletes them by it. */
  async #clockDifferenceMs(): Promise<number> {
    const differenceMs = await this.#clock.differenceMs();
    return Math.abs(differenceMs) < CLOCKS_DIFFER_MS ? 0 : differenceMs;
  }

  find({ user, action, address, since, until }: AuditQuery, limit: number): Promise<AuditEvent[]> {
    const filter: QueryFilter<AuditDocument> = {
      ...(user !== undefined && { $or: [{ actor: user }, { subject: user }] }),
      ...(action !== undefined && { action }),
      ...(address !== undefined && { address }),
      ...((since || until) && { at: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }),
    };
    return this.#events.find(filter, { _id: 0 }).sort({ at: -1, _id: -1 }).limit(limit).lean().exec();
  }
}

function timed<E extends AuditEvent>(event: E, differenceMs: number): E {
  return { ...event, at: new Date(event.at.getTime() - differenceMs) };
}

/** Makes an event that happens now, with long texts cut. */
export function auditEvent({ details, ...fields }: Omit<AuditEvent, 'at'>): AuditDocument {
  return {
    _id: new Types.ObjectId(),
    at: new Date(),
    ...cut(fields),
    ...(details && { details: cut(details) }),
  };
}

function cut<T extends object>(fields: T): T {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value]),
  ) as T;
}
