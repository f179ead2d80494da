import type { Registry } from 'prom-client';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { LabelCache } from '#shared/labels/label-cache.ts';
import { hasMarks, labelKey, type PrintPayload, pageCount } from '#shared/printing/label-job.ts';
import type { ProcessRegistry } from '#shared/stores/process-registry.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { LimitReport } from '../accounts/limit-report.ts';
import { Admission, type Reservation } from './admission.ts';
import { type LabelFailureReason, labelMetrics } from './label-metrics.ts';
import { LabelWorkers } from './label-workers.ts';
import { type PrintedLabel, PrintLine, type PrintLineOptions } from './print-line.ts';

export type LabelCaller = {
  account: string;
  /** Most pages in flight of the account. */
  maxPages: number;
  /** For the worker's log. */
  requestId: string;
  /** The label is of a file, and goes behind labels that are asked for alone. */
  behind?: true;
  /** What `reserve` returned for the request. */
  reservation?: Reservation | undefined;
  signal: AbortSignal;
};

type Options = Omit<PrintLineOptions, 'cache' | 'onFinished'> & {
  /** Of the finished labels and their news. */
  cache: RedisClient;
  metrics: Registry;
  processes: ProcessRegistry;
  report: Pick<LimitReport, 'refused'>;
  /** Called for each label that a worker printed for this process. */
  onPrinted: () => void;
};

/** Gets labels from the cache. Those that are not in it wait for a worker, if `Admission` lets them. */
export class PrintedLabels {
  readonly #report: Options['report'];
  readonly #onPrinted: Options['onPrinted'];
  readonly #cache: LabelCache;
  readonly #admission = new Admission();
  readonly #line: PrintLine;
  readonly #workers: LabelWorkers;
  readonly #metrics: ReturnType<typeof labelMetrics>;
  /** By key. */
  readonly #reads = new SingleFlight<Buffer | null>();
  #isOpen = false;

  constructor(options: Options) {
    const { redis, prefix, processes, clock, log } = options;
    this.#report = options.report;
    this.#onPrinted = options.onPrinted;
    this.#cache = new LabelCache(options.cache, prefix);
    const onFinished = (pages: number) => this.#admission.finished(pages);
    this.#line = new PrintLine({ ...options, cache: this.#cache, onFinished });
    const { queue } = this.#line;
    this.#workers = new LabelWorkers({ redis, prefix, queue, processes, log });
    const shared = { queue, workers: this.#workers, clock };
    this.#metrics = labelMetrics(options.metrics, () => (this.#isOpen ? shared : undefined));
  }

  /** Resolves when labels can be printed. */
  async open(): Promise<void> {
    await this.#workers.start();
    await this.#line.open();
    this.#isOpen = true;
  }

  async close(): Promise<void> {
    this.#workers.stop();
    await this.#line.close();
  }

  /** Returns whether a label worker was alive in the last seconds. */
  get seesWorkers(): boolean {
    return this.#workers.areSeen;
  }

  /** @throws as `LabelWorkers.requireSome` does. */
  requireWorkers(): Promise<void> {
    return this.#workers.requireSome();
  }

  /** Returns the key of the label as the newest worker prints it. */
  keyOf(label: PrintPayload): string {
    return labelKey(label, this.#workers.templateVersion(label.kind));
  }

  inCache(labels: readonly PrintPayload[]): Promise<boolean[]> {
    return this.#cache.has(labels.map((label) => this.keyOf(label)));
  }

  pagesInFlight(account: string): number {
    return this.#admission.pagesOf(account);
  }

  /** Counts a request for labels that got none, even one that never called `get`. */
  countFailure(reason: LabelFailureReason, account: string | undefined): void {
    this.#metrics.failed(reason);
    if (reason === 'quota' && account !== undefined) this.#report.refused('pages', account);
  }

  /**
   * Counts a request for one label before its guide is read, until `get` counts the label or `end` is called.
   * @throws DomainError `overloaded` if any new label of the account would be late, also for a label in the cache:
   * what is refused must cost next to nothing.
   */
  reserve(account: string): Reservation {
    try {
      return this.#admission.reserve(account);
    } catch (error) {
      this.#metrics.wanted();
      throw error;
    }
  }

  /**
   * Each request is admitted by its own account's limit; requests for one label then share one wait.
   * @throws DomainError before it waits: `too-many-pages`; `overloaded` if the label would be late; `no-printer` if no
   * worker is alive or the queue is paused; `no-marks` if a worker would refuse the label's marks.
   * @throws DomainError while it waits, as `PrintLine.wait`, or `no-marks`.
   * @throws DomainError `unavailable` at any time, while a Redis is away or refuses the label.
   */
  async get(label: PrintPayload, caller: LabelCaller): Promise<PrintedLabel> {
    const began = performance.now();
    const key = this.keyOf(label);
    const bytes = await this.#reads.run(() => this.#cache.read(key), key);
    if (bytes) {
      this.#metrics.answered('cache', began);
      return { key, bytes };
    }
    if (!this.#line.has(key)) this.#metrics.wanted();
    if (!this.#isOpen) throw new DomainError('unavailable');
    if (!(await this.#workers.arePrinting())) throw new DomainError('no-printer');
    if (hasMarks(label) && !(await this.#workers.printMarks())) throw new DomainError('no-marks');
    const { account, maxPages, requestId, behind, reservation, signal } = caller;
    const pages = pageCount(label);
    const release = this.#admission.admit({ account, key, pages, maxPages, reservation });
    try {
      const job = { key, label, requestId, ...(behind && { behind }) };
      const pagesBefore = this.#admission.pagesOf(account) - pages;
      const printed = await this.#line.wait(job, pagesBefore, signal);
      this.#metrics.answered('printed', began);
      this.#onPrinted();
      return printed;
    } catch (error) {
      // A worker that has just started, and that no heartbeat has told of, may have refused the label.
      const failed = error instanceof DomainError && error.code === 'label-failed';
      if (failed && hasMarks(label) && !(await this.#workers.printMarks({ again: true }))) {
        throw new DomainError('no-marks', { cause: error });
      }
      throw error;
    } finally {
      release(signal.aborted ? 'abandoned' : 'done');
    }
  }
}
