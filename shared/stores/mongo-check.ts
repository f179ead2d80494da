import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { SingleFlight } from '#shared/async/single-flight.ts';
import {
  body,
  type Collection,
  type DocumentIn,
  defineCollection,
  driverOf,
  MOMENT,
  modelOf,
  optional,
  TEXT,
} from './collection.ts';
import { DiskIsFull, RefusesUs, RefusesWrites } from './dependencies.ts';
import { isDuplicateKey, type MongoCheck } from './mongo.ts';
import { isOutOfSpace, isServerAway, isUndone } from './transient-errors.ts';

/**
 * What health asks MongoDB, with the credentials and the right that work needs. A server that has lost its majority, a full
 * disk or a lost role still answers a ping.
 */

export const HEALTH = defineCollection(
  'health',
  { _id: TEXT, at: MOMENT, space: optional(body<Buffer>()) },
  {
    id: 'Service',
    holds: "When the service's last health check wrote",
    life: 'For ever; one for each service',
    rights: { api: ['insert', 'update'], webhooks: ['insert', 'update'] },
  },
);

/** Checks write no more often, in ms, however many ask. */
const WRITE_MS = 1_000;
/** How long a check waits for the write that it has begun, in ms: less than the time limit of a check. */
const PATIENCE_MS = 500;
/** A write without an answer for so long is refused, in ms. A majority that lags, or a full disk, need not say so. */
const STUCK_MS = 4_000;
/** Time since a request was refused for want of space, in ms, after which a large write shows whether there is some again. */
const QUIET_MS = 4_000;
/** Size of that write. Its bytes are random, so that nothing shrinks them. */
const PROBE_BYTES = 262_144;
/** MongoDB's code for a command that the user's roles do not allow. */
const UNAUTHORIZED = 13;

type Write = { begun: number; done: Promise<void>; isOver: boolean };

/**
 * Makes the check of a service that writes.
 * @returns a check that throws from a write that fails, or has no answer for four seconds, until a later one succeeds:
 *   RefusesWrites, or why there was no connection.
 */
export function writing(service: string) {
  return (connection: Connection): MongoCheck => {
    const disk = new Disk(connection, service);
    let last: Write | undefined;
    let failure: Error | undefined;

    function begin(): Write {
      const begun: Write = { begun: performance.now(), done: Promise.resolve(), isOver: false };
      const end = (error?: Error) => {
        begun.isOver = true;
        failure = error;
      };
      begun.done = write(connection, service).then(() => end(), end);
      return begun;
    }

    const check = async () => {
      if (!last || (last.isOver && performance.now() - last.begun >= WRITE_MS)) last = begin();
      const current = last;
      if (!current.isOver) await Promise.race([current.done, sleep(PATIENCE_MS, undefined, { ref: false })]);
      if (failure) throw reasonOf(failure);
      if (!current.isOver && performance.now() - current.begun > STUCK_MS) {
        throw new RefusesWrites(`MongoDB has not confirmed a write for ${STUCK_MS} ms`);
      }
      if (await disk.isFull()) throw fullDisk();
    };
    return Object.assign(check, { notice: (error: unknown) => disk.notice(error) });
  };
}

/** Makes the check of a service that only reads. It throws RefusesUs if the service's role may not. */
export function reading(collection: Collection) {
  return (connection: Connection) => async (): Promise<void> => {
    await modelOf(connection, collection)
      .findOne({}, { _id: 1 })
      .lean()
      .catch((error: Error) => {
        throw isUnauthorized(error) ? new RefusesUs(error.message, { cause: error }) : error;
      });
  };
}

async function write(connection: Connection, service: string): Promise<void> {
  const health = driverOf(modelOf<DocumentIn<typeof HEALTH>>(connection, HEALTH));
  await health
    .updateOne({ _id: service }, { $set: { at: new Date() } }, { upsert: true })
    .catch((error: unknown) => {
      // Two processes have written the first document at the same time.
      if (!isDuplicateKey(error)) throw error;
    });
}

/**
 * Knows from the writes of requests that the disk of MongoDB is full: the check's own write takes no new space. The disk has
 * space again once a large write succeeds, and no request has been refused for some seconds.
 */
class Disk {
  readonly #service: string;
  readonly #connection: Connection;
  readonly #probing = new SingleFlight<void>();
  /** When a request was refused last, of `performance.now()`; undefined if the disk is not full. */
  #refusedAt: number | undefined;
  #probedAt = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection, service: string) {
    this.#connection = connection;
    this.#service = service;
  }

  notice(error: unknown): void {
    if (isOutOfSpace(error)) this.#refusedAt = performance.now();
  }

  async isFull(): Promise<boolean> {
    if (this.#refusedAt === undefined) return false;
    const isDue = performance.now() - Math.max(this.#refusedAt + QUIET_MS, this.#probedAt + WRITE_MS) >= 0;
    if (isDue) {
      const probing = this.#probing.run(() => this.#probe()).catch(() => {});
      await Promise.race([probing, sleep(PATIENCE_MS, undefined, { ref: false })]);
    }
    return this.#refusedAt !== undefined;
  }

  async #probe(): Promise<void> {
    this.#probedAt = performance.now();
    const refusedAt = this.#refusedAt;
    const health = driverOf(modelOf<DocumentIn<typeof HEALTH>>(this.#connection, HEALTH));
    await health.updateOne({ _id: this.#service }, { $set: { space: randomBytes(PROBE_BYTES) } });
    if (this.#refusedAt === refusedAt) this.#refusedAt = undefined;
    await health.updateOne({ _id: this.#service }, { $unset: { space: 1 } });
  }
}

function fullDisk(): DiskIsFull {
  return new DiskIsFull('The disk of MongoDB is full');
}

/** Without a connection the ping fails too, and tells more. */
function reasonOf(failure: Error): Error {
  if (isOutOfSpace(failure)) return fullDisk();
  if (isServerAway(failure) || isUndone(failure)) return failure;
  return new RefusesWrites(failure.message, { cause: failure });
}

function isUnauthorized(error: Error): boolean {
  return (error as { code?: unknown }).code === UNAUTHORIZED;
}
