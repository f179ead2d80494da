import { type Connection, mongo } from 'mongoose';
import { collectionOf } from '#shared/stores/mongo.ts';

/** What is recorded. The commands of operators are `admin.<command>`, `branches.<command>` and `coverage.<command>`. */
export type AuditAction =
  | 'login'
  | 'login.locked'
  | 'logout'
  | 'label.read-other'
  | 'guide.read-other'
  | 'guide.cancel'
  | `webhook.${string}`
  | `queue.${string}`
  | `admin.${string}`
  | `branches.${string}`
  | `coverage.${string}`
  | `privacy.${string}`;
export type AuditOutcome = 'ok' | 'refused' | 'failed' | 'started';

/** Who did what, from where, and how it ended. It never holds a password, or personal data of senders and recipients. */
export type AuditEvent = {
  at: Date;
  action: AuditAction;
  /** The API user, or for commands the operator; `unknown` where a login names no user that exists. */
  actor: string;
  account?: string | undefined;
  /** The client's IP address, or for commands that of the operator's terminal. */
  address?: string | undefined;
  requestId?: string | undefined;
  service: string;
  /** What it was done to: a user, a job, an account. */
  subject?: string | undefined;
  outcome: AuditOutcome;
  /** Lists are of what the service has itself made, such as guide numbers, and at most those of one request. */
  details?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined;
};

/** What an operator looks for; absent fields do not restrict. `since` is inclusive, `until` exclusive. */
export type AuditQuery = {
  /** Finds what this user did, and what was done to this user. */
  user?: string | undefined;
  action?: AuditAction | undefined;
  address?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

/** Days that an event is kept (docs/security.md "Personal data"). */
export const AUDIT_DAYS = 400;
const DAY_S = 24 * 3_600;
/** Longest text of a field, in characters: some come from clients and from operators' command lines. */
const MAX_TEXT = 256;
/** MongoDB's code for a command that the user's roles do not allow. */
const UNAUTHORIZED = 13;

/** The audit trail in MongoDB. Events are inserted and read, never changed; MongoDB removes them when they are old. */
export class AuditStore {
  readonly #events: mongo.Collection<AuditEvent>;

  constructor(connection: Connection) {
    this.#events = collectionOf(connection, 'audit');
  }

  /**
   * Creates the indexes by which events are found and expire. A user who may not do so relies on those that the database's
   * administrator made (`local/access/mongo-users.ts`): an index with another TTL would delete the trail.
   */
  async open(): Promise<void> {
    try {
      await this.#events.createIndex({ at: 1 }, { expireAfterSeconds: AUDIT_DAYS * DAY_S });
      for (const who of ['actor', 'subject']) await this.#events.createIndex({ [who]: 1, at: -1 });
    } catch (error) {
      if (!(error instanceof mongo.MongoServerError && error.code === UNAUTHORIZED)) throw error;
    }
  }

  async insert(event: AuditEvent): Promise<void> {
    await this.#events.insertOne({ ...event });
  }

  /** Returns the newest events that match, the newest first. */
  find({ user, action, address, since, until }: AuditQuery, limit: number): Promise<AuditEvent[]> {
    const filter: mongo.Filter<AuditEvent> = {
      ...(user !== undefined && { $or: [{ actor: user }, { subject: user }] }),
      ...(action !== undefined && { action }),
      ...(address !== undefined && { address }),
      ...((since || until) && { at: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }),
    };
    const projection = { _id: 0 } as const;
    return this.#events.find(filter, { projection }).sort({ at: -1, _id: -1 }).limit(limit).toArray();
  }
}

/** Makes an event that happens now; long texts are cut. */
export function auditEvent({ details, ...fields }: Omit<AuditEvent, 'at'>): AuditEvent {
  return { at: new Date(), ...cut(fields), ...(details && { details: cut(details) }) };
}

function cut<T extends object>(fields: T): T {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value]),
  ) as T;
}
