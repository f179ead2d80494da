import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import {
  type Collection,
  type DocumentIn,
  defineCollection,
  driverOf,
  MOMENT,
  modelOf,
  TEXT,
} from './collection.ts';
import { RefusesUs, RefusesWrites } from './dependencies.ts';
import { isDuplicateKey } from './mongo.ts';
import { isServerAway, isUndone } from './transient-errors.ts';

/**
 * What health asks MongoDB, with the credentials and the right that work needs. A server that has lost its majority, a full
 * disk or a lost role still answers a ping.
 */

export const HEALTH = defineCollection(
  'health',
  { _id: TEXT, at: MOMENT },
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
/** MongoDB's code for a command that the user's roles do not allow. */
const UNAUTHORIZED = 13;

type Write = { begun: number; done: Promise<void>; isOver: boolean };

/**
 * Makes the check of a service that writes.
 * @returns a check that throws from a write that fails, or has no answer for four seconds, until a later one succeeds:
 *   RefusesWrites, or why there was no connection.
 */
export function writing(service: string) {
  return (connection: Connection): (() => Promise<void>) => {
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

    return async () => {
      if (!last || (last.isOver && performance.now() - last.begun >= WRITE_MS)) last = begin();
      const current = last;
      if (!current.isOver) await Promise.race([current.done, sleep(PATIENCE_MS, undefined, { ref: false })]);
      // Without a connection the ping fails too, and tells more.
      if (failure) throw isServerAway(failure) || isUndone(failure) ? failure : refusal(failure);
      if (!current.isOver && performance.now() - current.begun > STUCK_MS) {
        throw new RefusesWrites(`MongoDB has not confirmed a write for ${STUCK_MS} ms`);
      }
    };
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

function refusal(cause: Error): RefusesWrites {
  return new RefusesWrites(cause.message, { cause });
}

function isUnauthorized(error: Error): boolean {
  return (error as { code?: unknown }).code === UNAUTHORIZED;
}
