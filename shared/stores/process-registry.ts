import type { Connection } from 'mongoose';
import {
  type DocumentIn,
  defineCollection,
  EXPIRY,
  FLAG,
  KEYWORD,
  listOf,
  MOMENT,
  modelOf,
  NUMBER,
  oneOf,
  optional,
  type StoredModel,
} from './collection.ts';
import { DatabaseClock } from './database-clock.ts';
import { HEARTBEAT_TTL_S, REGISTER_MS } from './heartbeat.ts';

/** Actions whose success a process tells others; the self-test of an api tries the same ones (docs/contract.md "Canary"). */
const PROVEN_ACTIONS = ['create', 'print'] as const;
export type ProvenAction = (typeof PROVEN_ACTIONS)[number];
/** How long a success counts, in ms: three rounds of the canary. */
export const PROVEN_MS = 45_000;

/**
 * Which processes work on this MongoDB, and in which cell. Heartbeats stand in Redis under a prefix: a process with another
 * Redis or prefix is seen here alone.
 */
export const PROCESSES = defineCollection(
  'processes',
  {
    /** As in its heartbeat. */
    _id: KEYWORD,
    service: oneOf(['api', 'webhooks']),
    /** `CELL` */
    cell: KEYWORD,
    host: KEYWORD,
    pid: NUMBER,
    /** When it was written last, by the database's clock. */
    at: MOMENT,
    /** Of an api: whether it sees label workers. */
    seesWorkers: optional(FLAG),
    /** Of an api: which of these it completed within `PROVEN_MS`, for any user. Absent up to 1.9.0. */
    proven: optional(listOf(oneOf(PROVEN_ACTIONS))),
    expiresAt: MOMENT,
  },
  {
    id: 'Process',
    holds: 'A process that writes its heartbeats: its cell, and whether it sees label workers',
    life: 'Until it closes, or a minute',
    testAccounts: { stay: 'Nothing of an account' },
    rights: {
      api: ['find', 'insert', 'update', 'remove', 'createIndex'],
      webhooks: ['insert', 'update', 'remove'],
      dashboard: ['find'],
    },
    indexes: [EXPIRY],
  },
);
type ProcessDocument = DocumentIn<typeof PROCESSES>;
export type RegisteredProcess = Pick<
  ProcessDocument,
  'service' | 'host' | 'pid' | 'seesWorkers' | 'proven'
> & {
  id: string;
};

/** Age, in ms, up to which an entry counts: three of a process may be late. */
const ALIVE_MS = 4 * REGISTER_MS;
/** Age, in ms, up to which an entry counts as a witness: as long as heartbeats live. */
const WITNESS_MS = 1_000 * HEARTBEAT_TTL_S;
const EXPIRES_MS = 60_000;
const MAX_PROCESSES = 200;

export class ProcessRegistry {
  readonly #processes: StoredModel<ProcessDocument>;
  readonly #clock: DatabaseClock;
  readonly #cell: string;
  /** Of the process that is written here. */
  #ownId = '';

  /** @param cell of the processes that are written and read. */
  constructor(connection: Connection, cell: string) {
    this.#processes = modelOf(connection, PROCESSES);
    this.#clock = new DatabaseClock(connection);
    this.#cell = cell;
  }

  /** Writes that a process is alive. Call it every `REGISTER_MS`. */
  async write({ id, ...process }: RegisteredProcess): Promise<void> {
    this.#ownId = id;
    const at = await this.#clock.now();
    const expiresAt = new Date(at.getTime() + EXPIRES_MS);
    const entry = { ...process, cell: this.#cell, at, expiresAt };
    await this.#processes.updateOne({ _id: id }, { $set: entry }, { upsert: true });
  }

  async remove(id: string): Promise<void> {
    await this.#processes.deleteOne({ _id: id });
  }

  /** Returns the processes of the cell that are alive, and when each was written last, in ms since 1970. */
  async alive(): Promise<(RegisteredProcess & { at: number })[]> {
    const found = await this.#processes
      .find(await this.#youngerThan(ALIVE_MS))
      .sort({ _id: 1 })
      .limit(MAX_PROCESSES)
      .lean();
    return found.map(({ _id: id, service, host, pid, seesWorkers = false, at }) => ({
      ...{ id, service, host, pid, seesWorkers, at: at.getTime() },
    }));
  }

  /** Returns whether an api of the cell sees label workers. */
  async seesWorkers(): Promise<boolean> {
    const young = await this.#youngerThan(WITNESS_MS);
    return (await this.#processes.exists({ ...young, seesWorkers: true })) !== null;
  }

  /** Returns whether another api of the cell completed the action within about `PROVEN_MS`. */
  async othersSucceed(action: ProvenAction): Promise<boolean> {
    const young = await this.#youngerThan(WITNESS_MS);
    const others = { ...young, _id: { $ne: this.#ownId } };
    return (await this.#processes.exists({ ...others, proven: action })) !== null;
  }

  async #youngerThan(ms: number) {
    return { cell: this.#cell, at: { $gte: await this.#clock.now(-ms) } };
  }
}
