import { EventEmitter, on } from 'node:events';
import { Queue, type Telemetry } from 'bullmq';
import type { Registry } from 'prom-client';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { LabelCache, type LabelNews, parseNews } from '#shared/labels/label-cache.ts';
import { MANIFEST_JOB_OPTIONS } from '#shared/manifests/manifest-payload.ts';
import type { Logger } from '#shared/observability/logger.ts';
import {
  LABEL_QUEUE,
  type LabelJob,
  type LabelJobResult,
  labelJobOptions,
  labelKey,
  type PrintPayload,
  pageCount,
  splitPayload,
} from '#shared/printing/label-job.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { RedisClock } from '#shared/stores/redis-clock.ts';
import type { QuotaReport } from '../accounts/quota-report.ts';
import { Admission, type Asked, placeInLine } from './admission.ts';
import { type LabelFailureReason, labelMetrics } from './label-metrics.ts';
import { LabelWorkers } from './label-workers.ts';
import { startQueueCleaning } from './queue-cleaning.ts';

/** After so many evictions before it is read, a label is given up. */
const MAX_EVICTIONS = 3;
/** In ms: BullMQ's own close waits without a limit for a Redis that is away. */
const CLOSE_MS = 2_000;

export type LabelCaller = {
  account: string;
  /** Most pages in flight of the account. */
  maxPages: number;
  /** For the worker's log. */
  requestId: string;
  /** The label is of a file, and goes behind labels that are asked for alone. */
  behind?: true;
  /** What `ask` returned for the request. */
  asked?: Asked | undefined;
  signal: AbortSignal;
};

/** The key names the template, and is the ETag. */
export type PrintedLabel = { key: string; bytes: Buffer };

/** `abandoned` aborts when the last of the callers has left. */
type Wait = { callers: number; abandoned: AbortController; result: Promise<PrintedLabel> };

type Options = {
  redis: RedisClient;
  /** Of the finished labels and their news. */
  cache: RedisClient;
  subscriber: RedisClient;
  prefix: string;
  clock: RedisClock;
  timeoutMs: number;
  metrics: Registry;
  report: Pick<QuotaReport, 'refused'>;
  log: Pick<Logger, 'info' | 'warn'>;
  telemetry: Telemetry | undefined;
};

/**
 * Gets labels from the cache, or has them printed (docs/architecture.md "The way of a label").
 * A wait subscribes to the label's channel, then looks into the cache and adds the job. In this order it misses no
 * end of the job, whichever process asked first. Messages and jobs are lost only with their connections: when one is
 * back, every wait looks and adds again. A wait looks once more before it ends as late.
 */
export class LabelClient {
  readonly queue: Queue<LabelJob, LabelJobResult>;
  readonly workers: LabelWorkers;
  readonly clock: RedisClock;
  readonly #options: Options;
  readonly #cache: LabelCache;
  readonly #admission: Admission;
  readonly #metrics: ReturnType<typeof labelMetrics>;
  /** By key, as are `#waits`. */
  readonly #reads = new SingleFlight<Buffer | null>();
  readonly #waits = new Map<string, Wait>();
  /** Emits news under the names of channels. */
  readonly #news = new EventEmitter().setMaxListeners(0);
  #stopCleaning = async () => {};
  #isOpen = false;

  constructor(options: Options) {
    const { redis, cache, subscriber, prefix, metrics, log, telemetry } = options;
    this.#options = options;
    this.#cache = new LabelCache(cache, prefix);
    this.#admission = new Admission();
    this.clock = options.clock;
    this.queue = new Queue(LABEL_QUEUE, {
      connection: redis,
      prefix,
      skipVersionCheck: true,
      ...(telemetry && { telemetry }),
    });
    this.workers = new LabelWorkers({ redis, prefix, queue: this.queue, log });
    this.queue.on('error', (err) => {
      // The connection logs why it is closed.
      if (redis.status === 'ready') log.warn({ err }, 'The label queue failed');
    });
    this.#metrics = labelMetrics(metrics, () => (this.#isOpen ? this : undefined));
    subscriber.on('message', (channel, message) => this.#news.emit(channel, parseNews(message)));
    subscriber.on('ready', () => void this.#lookAgain());
    redis.on('ready', () => void this.#lookAgain()); // a new primary may lack the last jobs
  }

  /** Resolves when labels can be printed. From then on this process removes old jobs. */
  async open(): Promise<void> {
    await this.queue.waitUntilReady();
    await this.clock.start();
    await this.workers.start();
    this.#stopCleaning = startQueueCleaning(this.queue, this.clock, this.#options.log);
    this.#isOpen = true;
  }

  async close(): Promise<void> {
    this.workers.stop();
    void this.#stopCleaning();
    await withTimeout(CLOSE_MS, 'Closing the label queue', this.queue.close()).catch((err) =>
      this.#options.log.warn({ err }, 'The label queue was left open'),
    );
  }

  /** Returns the key of the label as the newest worker prints it. */
  keyOf(label: PrintPayload): string {
    return labelKey(label, this.workers.templateVersion(label.kind));
  }

  inCache(labels: readonly PrintPayload[]): Promise<boolean[]> {
    return this.#cache.has(labels.map((label) => this.keyOf(label)));
  }

  pagesInFlight(account: string): number {
    return this.#admission.pagesOf(account);
  }

  /** Counts a request for labels that got none, even one that never called `print`. */
  countFailure(reason: LabelFailureReason, account: string | undefined): void {
    this.#metrics.failed(reason);
    if (reason === 'quota' && account !== undefined) this.#options.report.refused('pages', account);
  }

  /**
   * Counts a request for one label before its guide is read, until `print` counts the label or `end` is called.
   * @throws DomainError `overloaded` if any new label of the account would be late, also for a label in the cache:
   * what is refused must cost next to nothing.
   */
  ask(account: string): Asked {
    try {
      return this.#admission.ask(account);
    } catch (error) {
      this.#metrics.wanted();
      throw error;
    }
  }

  /**
   * Each request is admitted by its own account's limit; requests for one label then share one wait.
   * @throws DomainError before it waits: `too-many-pages`; `overloaded` if the label would be late; `no-printer` if no
   * worker is alive or the queue is paused.
   * @throws DomainError while it waits: `label-failed`, `label-late`, `client-gone`.
   * @throws DomainError `unavailable` at any time, while a Redis is away or refuses the label.
   */
  async print(label: PrintPayload, caller: LabelCaller): Promise<PrintedLabel> {
    const asked = performance.now();
    const key = this.keyOf(label);
    const bytes = await this.#reads.run(() => this.#cache.read(key), key);
    if (bytes) {
      this.#metrics.answered('cache', asked);
      return { key, bytes };
    }
    const { account, maxPages } = caller;
    const pages = pageCount(label);
    if (!this.#waits.has(key)) this.#metrics.wanted();
    if (!this.#isOpen) throw new DomainError('unavailable');
    if (!(await this.workers.arePrinting())) throw new DomainError('no-printer');
    const leave = this.#admission.enter({ account, key, pages, maxPages, asked: caller.asked });
    try {
      const printed = await this.#wait(key, label, caller);
      this.#metrics.answered('printed', asked);
      return printed;
    } finally {
      leave(caller.signal.aborted ? 'abandoned' : 'done');
    }
  }

  /** @throws DomainError `client-gone` as soon as the caller leaves. */
  async #wait(key: string, label: PrintPayload, caller: LabelCaller): Promise<PrintedLabel> {
    const known = this.#waits.get(key);
    if (known)
      this.#options.log.info(
        { requestId: caller.requestId, label: key },
        'A request joins a label in flight',
      );
    const wait = known ?? this.#begin(key, label, caller);
    wait.callers++;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(new DomainError('client-gone'));
    caller.signal.addEventListener('abort', leave);
    if (caller.signal.aborted) leave();
    try {
      return await Promise.race([wait.result, left]);
    } finally {
      caller.signal.removeEventListener('abort', leave);
      wait.callers--;
      if (wait.callers === 0) wait.abandoned.abort();
    }
  }

  #begin(key: string, label: PrintPayload, caller: LabelCaller): Wait {
    const abandoned = new AbortController();
    const forget = () => {
      if (this.#waits.get(key) === wait) this.#waits.delete(key);
    };
    // `print` has already counted this label's pages.
    const pagesBefore = this.#admission.pagesOf(caller.account) - pageCount(label);
    const place = placeInLine(pagesBefore, !!caller.behind, this.clock.now());
    const job = { key, label, requestId: caller.requestId, ...(caller.behind && { behind: caller.behind }) };
    const result = this.#printed(job, place, abandoned.signal).finally(forget);
    result.catch(() => {}); // if no request waits
    abandoned.signal.addEventListener('abort', forget);
    const wait: Wait = { callers: 0, abandoned, result };
    this.#waits.set(key, wait);
    return wait;
  }

  async #printed(job: LabelJob, place: number, abandoned: AbortSignal): Promise<PrintedLabel> {
    const channel = this.#cache.channelOf(job.key);
    const end = AbortSignal.any([abandoned, AbortSignal.timeout(this.#options.timeoutMs)]);
    const news = on(this.#news, channel, { signal: end }); // buffers news from here on
    try {
      await this.#options.subscriber.subscribe(channel);
      return await this.#printUntilCached(job, place, news);
    } catch (error) {
      if (!end.aborted) throw error;
      if (abandoned.aborted) throw new DomainError('client-gone');
      const bytes = await this.#cache.read(job.key);
      if (bytes) return { key: job.key, bytes };
      throw new DomainError('label-late', { cause: new Error(`label ${job.key}`) });
    } finally {
      await news.return?.();
      if (this.#news.listenerCount(channel) === 0) {
        this.#options.subscriber.unsubscribe(channel).catch(() => {}); // a closed connection has no subscriptions
      }
    }
  }

  /**
   * Adds a label's job, and again if it ended without the label. BullMQ ignores a job that is still in flight.
   * @throws DomainError `unavailable` if the Redis of the labels refuses to store the label, or keeps evicting it.
   */
  async #printUntilCached(
    job: LabelJob,
    place: number,
    news: AsyncIterator<unknown[]>,
  ): Promise<PrintedLabel> {
    const cause = new Error(`label ${job.key}`);
    let { key } = job;
    let evictions = 0;
    const add = () => {
      const options = {
        ...labelJobOptions(job.key, place, evictions),
        ...(job.label.kind === 'manifest' && MANIFEST_JOB_OPTIONS),
        timestamp: this.clock.now(),
      };
      return this.queue.add(job.label.kind, { ...job, ...splitPayload(job.label) }, options);
    };
    // Both at once: if another process has just had this label printed, it is printed once more.
    let [bytes] = await Promise.all([this.#cache.read(key), add()]);
    for (;;) {
      if (bytes) return { key, bytes };
      const [heard] = (await news.next()).value as [LabelNews | 'reconnected'];
      const printedAs = typeof heard === 'object' ? heard.printed : undefined;
      // A label that failed took the printers' time as well.
      if (printedAs || heard === 'failed' || heard === 'unstored')
        this.#admission.finished(pageCount(job.label));
      if (heard === 'failed') throw new DomainError('label-failed', { cause });
      if (heard === 'unstored') throw new DomainError('unavailable', { cause });
      if (printedAs) evictions++; // counts only if the next look finds no label
      key = printedAs ?? job.key;
      bytes = await this.#cache.read(key);
      if (bytes) continue;
      if (evictions === MAX_EVICTIONS) throw new DomainError('unavailable', { cause });
      await add();
    }
  }

  /** Makes every wait look again once the subscriptions are back. */
  async #lookAgain(): Promise<void> {
    // ioredis has just sent the subscriptions again; Redis answers a ping after them.
    await this.#options.subscriber.ping().catch(() => {}); // another connection follows
    for (const key of this.#waits.keys()) this.#news.emit(this.#cache.channelOf(key), 'reconnected');
  }
}
