import { setTimeout as delay } from 'node:timers/promises';
import { addAskers } from '#shared/contracts/label-askers.ts';
import { type LabelPayload, labelKey, pageCount, TEMPLATE_VERSION } from '#shared/contracts/label-job.ts';
import { labelReader } from '#shared/contracts/label-store.ts';
import type { PageReservations } from '#shared/contracts/page-reservations.ts';
import { aliveWorkers, type WorkerHeartbeat } from '#shared/contracts/worker-heartbeat.ts';
import { DomainError } from '#shared/errors.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { Admission } from './admission.ts';
import { LabelJobs, type LabelJobsOptions, type Outcome } from './label-jobs.ts';
import { PrinterWatch } from './printer-watch.ts';

/** When an account with too many pages in flight may try again, in seconds: so many pages are printed within less. */
const RETRY_AFTER_S = 1;
/** Pause before Redis is asked again whether it is there, in ms. */
const AGAIN_MS = 100;

/** Who asks for a label. */
export type Asker = {
  account: string;
  /** Most pages that the account may have in flight. */
  maxPages: number;
  /** Goes with the job, so that the label can be followed in the worker's log. */
  requestId: string;
  /** Whether its labels go behind those that are asked for one by one. */
  behind?: true;
  /** Aborts when the asker is gone. */
  gone: AbortSignal;
  /** Called with the pages that the account has in flight beside this label's, when it is to be printed. */
  onInFlight: (pages: number) => void;
};

/** A label in the form that was asked for, and its key, which is also its ETag: of the template that drew it, not of the one asked for. */
export type PrintedLabel = { key: string; bytes: Buffer };

export type LabelShardOptions = LabelJobsOptions & {
  name: string;
  /** Where the finished labels are. */
  labels: RedisClient;
  /** The pages that accounts have in flight, of all shards. */
  reservations: PageReservations;
  /** Called for each label that is not in the cache and is to be printed, also where the printers have no room for it. */
  onWanted: () => void;
};

/** One shard of the labels as the api sees it: its finished labels, its queue, and its label workers. */
export class LabelShard {
  readonly name: string;
  readonly #cache: ReturnType<typeof labelReader>;
  readonly #admission: Admission;
  readonly #watch: PrinterWatch;
  readonly #jobs: LabelJobs;
  readonly #options: LabelShardOptions;
  /** BullMQ would wait without a time limit for a Redis that was never there. */
  #isOpen = false;
  #closed = false;
  /** By kind, the version of the newest worker's template; of none before the first heartbeat is read. */
  #templates: WorkerHeartbeat['templates'];

  constructor(options: LabelShardOptions) {
    const { name, labels, prefix, timeoutMs, log } = options;
    this.name = name;
    this.#options = options;
    this.#cache = labelReader(labels, prefix);
    this.#admission = new Admission(timeoutMs);
    this.#watch = new PrinterWatch({ read: () => this.readWorkers(), timeoutMs, log });
    this.#jobs = new LabelJobs(options, this.#cache.has);
  }

  /** Resolves when its Redis is there, so that labels can be printed. */
  async open(): Promise<void> {
    await this.#jobs.open();
    // BullMQ does not see that Redis has gone again since.
    while (!this.#closed && !(await this.#answers())) await delay(AGAIN_MS);
    this.#watch.start();
    this.#isOpen = true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch.close();
    await this.#jobs.close();
  }

  /** The queue; undefined until its Redis was there. */
  get queue(): LabelJobs['queue'] | undefined {
    return this.#isOpen ? this.#jobs.queue : undefined;
  }

  /** Reads the workers that are alive, and which templates they have. */
  async readWorkers(): Promise<WorkerHeartbeat[]> {
    const { redis, prefix } = this.#options;
    const workers = await aliveWorkers(redis, prefix);
    this.#templates = workers.at(-1)?.templates ?? this.#templates;
    return workers;
  }

  #answers(): Promise<boolean> {
    return this.readWorkers().then(
      () => true,
      (error) => !isTransientError(error),
    );
  }

  /** Returns the key that a label has when the newest worker prints it. */
  keyOf(label: LabelPayload): string {
    return labelKey(label, this.#templates?.[label.kind] ?? TEMPLATE_VERSION);
  }

  /** Returns a finished label, or null where it is not in the cache. */
  read(key: string): Promise<Buffer | null> {
    return this.#cache.read(key);
  }

  /** Returns which of the labels are in the cache. */
  inCache(labels: readonly LabelPayload[]): Promise<boolean[]> {
    return this.#cache.has(labels.map((label) => this.keyOf(label)));
  }

  /** Nobody waits for it: without the ids a log line lacks them, no more. */
  tellWorker(key: string, requestIds: readonly string[]): void {
    const { redis, prefix, log } = this.#options;
    addAskers(redis, prefix, key, requestIds).catch((err) =>
      log.warn({ err, requestIds }, 'The log of the label worker will lack request ids'),
    );
  }

  /** Prints a label; @throws DomainError as `LabelClient.print`. */
  async print(key: string, label: LabelPayload, asker: Asker, abandoned: AbortSignal): Promise<PrintedLabel> {
    const outcome = await this.#printAdmitted(key, label, asker, abandoned);
    if (outcome === 'abandoned') throw new DomainError('client-gone');
    // Also when late: the label may be printed although its event was lost with a connection.
    const printed = typeof outcome === 'object' ? outcome.printed : key;
    const bytes = outcome === 'failed' ? null : await this.#cache.read(printed);
    if (bytes) return { key: printed, bytes };
    throw new DomainError(outcome === 'late' ? 'label-late' : 'label-failed', {
      cause: new Error(`label ${key}: ${typeof outcome === 'object' ? 'gone from the cache' : outcome}`),
    });
  }

  /** Has a label printed where it can be printed in time. */
  async #printAdmitted(
    key: string,
    label: LabelPayload,
    asker: Asker,
    abandoned: AbortSignal,
  ): Promise<Outcome> {
    const { account, maxPages, onInFlight } = asker;
    const waiting = this.#admission.pagesOf(account);
    // What this process knows needs no question to Redis, which knows of all processes.
    if (waiting > 0 && waiting + pageCount(label) > maxPages) {
      onInFlight(waiting);
      throw refusal('too-many-pages', RETRY_AFTER_S);
    }
    if (!(await this.#watch.enter())) {
      this.#options.onWanted();
      throw new DomainError('no-printer');
    }
    try {
      const outcome = await this.#printInTime(key, label, asker, abandoned);
      if (typeof outcome === 'object' || outcome === 'failed') this.#watch.finished();
      return outcome;
    } finally {
      this.#watch.leave();
    }
  }

  /** Has a label printed where those of its account that wait leave time for it. */
  async #printInTime(
    key: string,
    label: LabelPayload,
    asker: Asker,
    abandoned: AbortSignal,
  ): Promise<Outcome> {
    const { account, behind } = asker;
    const seconds = this.#admission.retryAfterSeconds(account);
    if (seconds > 0) {
      // A file asks for each of its labels again and again until there is room.
      if (!behind) this.#options.onWanted();
      throw refusal('overloaded', seconds);
    }
    const pages = pageCount(label);
    this.#admission.enter(account, pages);
    try {
      const outcome = await this.#printReserved(key, label, asker, abandoned);
      if (typeof outcome === 'object' || outcome === 'failed') this.#admission.finished(pages);
      return outcome;
    } finally {
      this.#admission.leave(account, pages);
    }
  }

  /** Has a label printed where its account may have its pages in flight, and holds them until it is. */
  async #printReserved(
    key: string,
    label: LabelPayload,
    { account, maxPages, requestId, behind, onInFlight }: Asker,
    abandoned: AbortSignal,
  ): Promise<Outcome> {
    if (!this.#isOpen) throw new DomainError('unavailable');
    const { reservations, log } = this.#options;
    const { reservation, inFlight } = await reservations.reserve(account, pageCount(label), maxPages);
    onInFlight(inFlight);
    if (!reservation) throw refusal('too-many-pages', RETRY_AFTER_S);
    this.#options.onWanted();
    try {
      const job = { label, requestId, reservation, ...(behind && { behind }) };
      return await this.#jobs.print(key, job, inFlight, abandoned);
    } finally {
      reservations
        .release(reservation)
        .catch((err) => log.warn({ err }, 'Pages stay reserved until their time is over'));
    }
  }
}

function refusal(code: 'overloaded' | 'too-many-pages', seconds: number): DomainError {
  return new DomainError(code, { params: { seconds } });
}
