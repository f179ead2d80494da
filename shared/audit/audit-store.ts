import { type Connection, type Model, mongo, type QueryFilter, Schema, Types, trusted } from 'mongoose';
import { DUPLICATE_KEY, writeErrorsOf } from '#shared/stores/mongo.ts';

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
type AuditDocument = AuditEvent & { _id: Types.ObjectId };

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
  readonly #events: Model<AuditDocument>;

  constructor(connection: Connection) {
    const schema = new Schema<AuditDocument>(
      {
        _id: Schema.Types.ObjectId,
        at: { type: Date, index: { expireAfterSeconds: AUDIT_DAYS * DAY_S } },
        action: String,
        actor: String,
        account: String,
        address: String,
        requestId: String,
        service: String,
        subject: String,
        outcome: String,
        details: Schema.Types.Mixed,
      },
      { versionKey: false },
    );
    schema.index({ actor: 1, at: -1 }).index({ subject: 1, at: -1 });
    this.#events = connection.model<AuditDocument>('AuditEvent', schema, 'audit');
  }

  /**
   * Creates the indexes by which events are found and expire. A user who may not do so relies on those that the database's
   * administrator made (`local/access/mongo-users.ts`): an index with another TTL would delete the trail.
   */
  async open(): Promise<void> {
    await this.#events.createIndexes().catch((error: unknown) => {
      if (!(error instanceof mongo.MongoServerError && error.code === UNAUTHORIZED)) throw error;
    });
  }

  /** Stores events. Events that are stored already, since an answer was lost, are left as they are. */
  async insert(events: readonly StoredAuditEvent[]): Promise<void> {
    try {
      await this.#events.insertMany(events, { lean: true, ordered: false });
    } catch (error) {
      const failures = writeErrorsOf(error);
      if (failures.length === 0 || failures.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    }
  }

  /** Returns the newest events that match, the newest first. */
  async find({ user, action, address, since, until }: AuditQuery, limit: number): Promise<AuditEvent[]> {
    const filter: QueryFilter<AuditDocument> = {
      ...(user !== undefined && { $or: [{ actor: user }, { subject: user }] }),
      ...(action !== undefined && { action }),
      ...(address !== undefined && { address }),
      ...((since || until) && {
        at: trusted({ ...(since && { $gte: since }), ...(until && { $lt: until }) }),
      }),
    };
    return this.#events.find(filter, { _id: 0 }).sort({ at: -1, _id: -1 }).limit(limit).lean<AuditEvent[]>();
  }
}

/** An event with its identity, so that it can be stored again without being stored twice. */
export type StoredAuditEvent = AuditEvent & { _id: Types.ObjectId };

/** Makes an event that happens now; long texts are cut. */
export function auditEvent(event: Omit<AuditEvent, 'at'>): StoredAuditEvent {
  const { details, ...fields } = event;
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
