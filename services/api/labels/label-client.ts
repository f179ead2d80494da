import type { Registry } from 'prom-client';
import { addAskers, MAX_ASKERS } from '#shared/contracts/label-askers.ts';
import { type LabelPayload, labelKey, pageCount, TEMPLATE_VERSION } from '#shared/contracts/label-job.ts';
import { labelReader } from '#shared/contracts/label-store.ts';
import { type PageReservations, pageReservations } from '#shared/contracts/page-reservations.ts';
import { aliveWorkers, type WorkerHeartbeat } from '#shared/contracts/worker-heartbeat.ts';
import { DomainError } from '#shared/errors.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { QuotaReport } from '../quotas/quota-report.ts';
import { Admission } from './admission.ts';
import { LabelJobs, type LabelJobsOptions, type Outcome } from './label-jobs.ts';
import { addQueueGauges, type LabelFailureReason, labelMetrics } from './label-metrics.ts';
import { PrinterWatch } from './printer-watch.ts';

/** When an account with too many pages in flight may try again, in seconds: so many pages are printed within less. */
const RETRY_AFTER_S = 1;

type LabelResult = PrintedLabel & { source: 'cache' | 'printed' };

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

/** A label that requests wait for. */
type Wait = {
  askers: number;
  abandoned: AbortController;
  result: Promise<LabelResult>;
  /** Ids of the requests beside the first one; once a worker is to print the label, its log is to have them. */
  joined: string[];
  printing: boolean;
};

/** Gets labels from the cache, or has them printed within the share of the account that asks. */
export class LabelClient {
  readonly #cache: ReturnType<typeof labelReader>;
  readonly #admission: Admission;
  readonly #watch: PrinterWatch;
  readonly #reservations: PageReservations;
  readonly #options: LabelJobsOptions & { metrics: Registry };
  /** Undefined until Redis is there for the first time: BullMQ waits for it without a time limit. */
  #jobs: LabelJobs | undefined;
  readonly #log: LabelJobsOptions['log'];
  readonly #metrics: ReturnType<typeof labelMetrics>;
  readonly #report: QuotaReport;
  readonly #waits = new Map<string, Wait>();
  /** By kind, the version of the newest worker's template; of none before the first heartbeat is read. */
  #templates: WorkerHeartbeat['templates'];

  /** @param options.labels where finished labels are. */
  constructor(options: LabelJobsOptions & { labels: RedisClient; metrics: Registry; report: QuotaReport }) {
    const { redis, labels, prefix, timeoutMs, log, metrics, report } = options;
    this.#report = report;
    this.#cache = labelReader(labels, prefix);
    this.#log = log;
    this.#admission = new Admission(timeoutMs);
    this.#reservations = pageReservations(redis, prefix, timeoutMs);
    this.#options = options;
    const workers = () => this.#readWorkers();
    this.#watch = new PrinterWatch({ read: workers, timeoutMs, log });
    this.#metrics = labelMetrics(metrics, workers);
  }

  /** Resolves when this client learns of printed labels. To be called when Redis is there, and again where it fails. */
  async open(): Promise<void> {
    const jobs = new LabelJobs(this.#options);
    try {
      await jobs.open();
      await this.#readWorkers();
    } catch (error) {
      await jobs.close();
      throw error;
    }
    addQueueGauges(this.#options.metrics, jobs.queue);
    this.#jobs = jobs;
    this.#watch.start();
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.#jobs?.close();
  }

  /**
   * Returns the key that a label has when the newest worker prints it. While workers differ, as during an upgrade, a
   * label may come from another one, under that worker's key (docs/labels.md "Versions").
   */
  keyOf(label: LabelPayload): string {
    return labelKey(label, this.#templates?.[label.kind] ?? TEMPLATE_VERSION);
  }

  /**
   * Returns a label, printed if it is not in the cache. Requests for a label that is already in flight share its
   * result, also its failure: a thousand at once are one job and one read, in the share of the account that asked first.
   *
   * @throws DomainError `too-many-pages` when the account has too many in flight.
   * @throws DomainError `overloaded`, with the seconds after which to try again, when the label would not be printed in
   * time behind those of the account that wait.
   * @throws DomainError `no-printer` when no label worker is alive, or none gets anything done.
   * @throws DomainError `label-failed` when it cannot be printed, `label-late` when not in time.
   * @throws DomainError `client-gone` when nobody waits for it any more.
   * @throws DomainError `unavailable` until `open` is done.
   */
  async print(label: LabelPayload, asker: Asker): Promise<PrintedLabel> {
    if (asker.gone.aborted) throw new DomainError('client-gone');
    const asked = performance.now();
    const key = this.keyOf(label);
    const known = this.#waits.get(key);
    const wait = known ?? this.#begin(key, label, asker);
    if (known) this.#join(key, known, asker.requestId);
    wait.askers++;
    const leave = () => this.#leave(key, wait);
    asker.gone.addEventListener('abort', leave);
    try {
      const { source, ...printed } = await wait.result;
      this.#metrics.answered(source, asked);
      return printed;
    } finally {
      asker.gone.removeEventListener('abort', leave);
    }
  }

  /** Counts a request for labels that got none, also one that did not come as far as `print`. */
  countFailure(reason: LabelFailureReason, account: string | undefined): void {
    this.#metrics.failed(reason);
    if (reason === 'quota' && account !== undefined) this.#report.refused('pages', account);
  }

  /** Returns which of the labels are in the cache. */
  async inCache(labels: readonly LabelPayload[]): Promise<boolean[]> {
    return this.#cache.has(labels.map((label) => this.keyOf(label)));
  }

  async #readWorkers(): Promise<WorkerHeartbeat[]> {
    const { redis, prefix } = this.#options;
    const workers = await aliveWorkers(redis, prefix);
    this.#templates = workers.at(-1)?.templates ?? this.#templates;
    return workers;
  }

  #begin(key: string, label: LabelPayload, asker: Asker): Wait {
    const { promise: result, resolve } = Promise.withResolvers<LabelResult>();
    const wait = { askers: 0, abandoned: new AbortController(), result, joined: [], printing: false };
    this.#waits.set(key, wait);
    resolve(this.#get(key, label, asker, wait).finally(() => this.#end(key, wait)));
    return wait;
  }

  #join(key: string, wait: Wait, requestId: string): void {
    if (wait.joined.length >= MAX_ASKERS) return;
    wait.joined.push(requestId);
    if (wait.printing) this.#tellWorker(key, [requestId]);
  }

  /** Nobody waits for it: without the ids a log line lacks them, no more. */
  #tellWorker(key: string, requestIds: readonly string[]): void {
    const { redis, prefix } = this.#options;
    addAskers(redis, prefix, key, requestIds).catch((err) =>
      this.#log.warn({ err, requestIds }, 'The log of the label worker will lack request ids'),
    );
  }

  #leave(key: string, wait: Wait): void {
    wait.askers--;
    if (wait.askers > 0) return;
    wait.abandoned.abort();
    this.#end(key, wait);
  }

  /** Whoever asks for the label from now on begins anew. */
  #end(key: string, wait: Wait): void {
    if (this.#waits.get(key) === wait) this.#waits.delete(key);
  }

  async #get(key: string, label: LabelPayload, asker: Asker, wait: Wait): Promise<LabelResult> {
    const cached = await this.#cache.read(key);
    if (cached) return { source: 'cache', key, bytes: cached };
    wait.printing = true;
    if (wait.joined.length > 0) this.#tellWorker(key, wait.joined);
    const outcome = await this.#printAdmitted(key, label, asker, wait.abandoned.signal);
    if (outcome === 'abandoned') throw new DomainError('client-gone');
    // Also when late: the label may be printed although its event was lost with a connection.
    const printed = typeof outcome === 'object' ? outcome.printed : key;
    const bytes = outcome === 'failed' ? null : await this.#cache.read(printed);
    if (bytes) return { source: 'printed', key: printed, bytes };
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
      throw this.#refusal('too-many-pages', RETRY_AFTER_S);
    }
    if (!(await this.#watch.enter())) throw new DomainError('no-printer');
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
    const { account } = asker;
    const seconds = this.#admission.retryAfterSeconds(account);
    if (seconds > 0) throw this.#refusal('overloaded', seconds);
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
    const jobs = this.#jobs;
    if (!jobs) throw new DomainError('unavailable');
    const { reservation, inFlight } = await this.#reservations.reserve(account, pageCount(label), maxPages);
    onInFlight(inFlight);
    if (!reservation) throw this.#refusal('too-many-pages', RETRY_AFTER_S);
    try {
      const job = { label, requestId, reservation, ...(behind && { behind }) };
      return await jobs.print(key, job, inFlight, abandoned);
    } finally {
      this.#reservations
        .release(reservation)
        .catch((err) => this.#log.warn({ err }, 'Pages stay reserved until their time is over'));
    }
  }

  #refusal(code: 'overloaded' | 'too-many-pages', seconds: number): DomainError {
    return new DomainError(code, { params: { seconds } });
  }
}
