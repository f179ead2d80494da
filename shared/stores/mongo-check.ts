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
  KEYWORD,
  MOMENT,
  modelOf,
  optional,
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
  { _id: KEYWORD, at: MOMENT, space: optional(body<Buffer>()) },
  {
    id: 'Service',
    holds: "When the service's last health check wrote",
    life: 'For ever; one for each service',
    testAccounts: { stay: 'Nothing of an account' },
    rights: { api: ['insert', 'update'], webhooks: ['insert', 'update'] },
  },
);

/** A server that is well is asked no more often, in ms, however many check. */
const ASK_MS = 1_000;
/**
 * Each question has a connection of its own, so one that hangs does not speak for the server. While as many wait, the server is
 * asked only every `SILENT_MS`: others need the connections.
 */
const MANY = 3;
/** How long a check waits for the answer to what it asks, in ms: less than the time limit of a check. */
const PATIENCE_MS = 500;
/** Without an answer for so long a server is silent, in ms. One that takes a second or two serves users, slowly. */
const SILENT_MS = 4_000;
/** Time since a request was refused for want of space, in ms, after which a large write shows whether there is some again. */
const QUIET_MS = 4_000;
/** Size of that write. Its bytes are random, so that nothing shrinks them. */
const PROBE_BYTES = 262_144;
/** MongoDB's code for a command that the user's roles do not allow. */
const UNAUTHORIZED = 13;

/**
 * Asks a server the same again and again.
 * @param silence is thrown once nothing has been answered for four seconds.
 * @returns a check that throws what the server answered last.
 */
function asking(ask: () => Promise<unknown>, silence: () => Error): () => Promise<void> {
  type Question = { begun: number; ended: Promise<void> };
  /** The oldest first. */
  const waiting = new Set<Question>();
  let last: Question | undefined;
  /** When the last question began that was answered, of `performance.now()`. */
  let answered = Number.NEGATIVE_INFINITY;
  let failure: Error | undefined;

  function begin(): Question {
    const question: Question = { begun: performance.now(), ended: Promise.resolve() };
    const end = (error?: Error) => {
      waiting.delete(question);
      // What became of an older question says nothing any more.
      if (question.begun < answered) return;
      answered = question.begun;
      failure = error;
    };
    waiting.add(question);
    question.ended = ask().then(() => end(), end);
    return question;
  }

  return async () => {
    const pauseMs = waiting.size >= MANY ? SILENT_MS : failure ? 0 : ASK_MS;
    if (!last || performance.now() - last.begun >= pauseMs) last = begin();
    if (last && waiting.has(last))
      await Promise.race([last.ended, sleep(PATIENCE_MS, undefined, { ref: false })]);
    if (failure) throw failure;
    const unanswered = [...waiting].find(({ begun }) => begun > answered);
    if (unanswered && performance.now() - unanswered.begun > SILENT_MS) throw silence();
  };
}

function pinging(connection: Connection): () => Promise<void> {
  const ping = async () => {
    if (!connection.db) throw new Error('MongoDB has not been there since the start');
    await connection.db.admin().ping();
  };
  return asking(ping, () => new Error(`MongoDB has answered no ping for ${SILENT_MS} ms`));
}

/**
 * Makes the check of a service that writes. It throws RefusesWrites, or why a ping fails. A majority that lags, or a full disk, need
 * not answer.
 */
export function writing(service: string) {
  return (connection: Connection): MongoCheck => {
    const disk = new Disk(connection, service);
    const ask = () =>
      write(connection, service).catch((cause: Error) => {
        throw reasonOf(cause);
      });
    const isServing = bothOf(
      pinging(connection),
      asking(ask, () => new RefusesWrites(`MongoDB has confirmed no write for ${SILENT_MS} ms`)),
    );
    const check = async () => {
      await isServing();
      if (await disk.isFull()) throw fullDisk();
    };
    return Object.assign(check, { notice: (error: unknown) => disk.notice(error) });
  };
}

/** Makes the check of a service that only reads. It throws RefusesUs if the service's role may not. */
export function reading(collection: Collection) {
  return (connection: Connection): (() => Promise<void>) => {
    const ask = () =>
      modelOf(connection, collection)
        .findOne({}, { _id: 1 })
        .lean()
        .catch((error: Error) => {
          throw isUnauthorized(error) ? new RefusesUs(error.message, { cause: error }) : error;
        });
    return bothOf(
      pinging(connection),
      asking(ask, () => new Error(`MongoDB has answered no read for ${SILENT_MS} ms`)),
    );
  };
}

function bothOf(one: () => Promise<void>, other: () => Promise<void>): () => Promise<void> {
  return async () => {
    await Promise.all([one(), other()]);
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
    const isDue = performance.now() - Math.max(this.#refusedAt + QUIET_MS, this.#probedAt + ASK_MS) >= 0;
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
