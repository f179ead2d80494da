import { EventEmitter, on } from 'node:events';
import { Queue, type Telemetry } from 'bullmq';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { type LabelCache, type LabelNews, parseNews } from '#shared/labels/label-cache.ts';
import type { Logger } from '#shared/observability/logger.ts';
import {
  LABEL_QUEUE,
  type LabelJob,
  type LabelJobResult,
  labelJobOptions,
  pageCount,
  type QueuedJob,
  toQueue,
} from '#shared/printing/label-job.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { RedisClock } from '#shared/stores/redis-clock.ts';
import { startQueueCleaning } from './queue-cleaning.ts';

/** After so many evictions before it is read, a label is given up. */
const MAX_EVICTIONS = 3;
/** In ms: BullMQ's own close waits without a limit for a Redis that is away. */
const CLOSE_MS = 2_000;

/** The key names the template, and is the ETag. */
export type PrintedLabel = { key: string; bytes: Buffer };

/** `abandoned` aborts when the last of the callers has left. */
type Wait = { callers: number; abandoned: AbortController; result: Promise<PrintedLabel> };

export type PrintLineOptions = {
  redis: RedisClient;
  /** Of the finished labels, whose news `subscriber` hears. */
  cache: LabelCache;
  subscriber: RedisClient;
  prefix: string;
  clock: RedisClock;
  timeoutMs: number;
  log: Pick<Logger, 'info' | 'warn'>;
  telemetry: Telemetry | undefined;
  /** Called with the pages of each label that was printed or failed. */
  onFinished: (pages: number) => void;
};

/**
 * The labels of this process that wait for a label worker (docs/architecture.md "The way of a label").
 * A wait subscribes to the label's channel, then looks into the cache and adds the job. In this order it misses no
 * end of the job, whichever process asked first. Messages and jobs are lost only with their connections: when one is
 * back, every wait looks and adds again. A wait looks once more before it ends as late.
 */
export class PrintLine {
  readonly queue: Queue<QueuedJob, LabelJobResult>;
  readonly #options: PrintLineOptions;
  /** By key. */
  readonly #waits = new Map<string, Wait>();
  /** Emits news under the names of channels. */
  readonly #news = new EventEmitter().setMaxListeners(0);
  #stopCleaning = async () => {};

  constructor(options: PrintLineOptions) {
    const { redis, subscriber, prefix, log, telemetry } = options;
    this.#options = options;
    this.queue = new Queue(LABEL_QUEUE, {
      connection: redis,
      prefix,
      skipVersionCheck: true,
      ...(telemetry && { telemetry }),
    });
    this.queue.on('error', (err) => {
      // The connection logs why it is closed.
      if (redis.status === 'ready') log.warn({ err }, 'The label queue failed');
    });
    subscriber.on('message', (channel, message) => this.#news.emit(channel, parseNews(message)));
    subscriber.on('ready', () => void this.#lookAgain());
    redis.on('ready', () => void this.#lookAgain()); // a new primary may lack the last jobs
  }

  /** Resolves when jobs can be added. From then on this process removes old jobs. */
  async open(): Promise<void> {
    const { clock, log } = this.#options;
    await this.queue.waitUntilReady();
    await clock.start();
    this.#stopCleaning = startQueueCleaning(this.queue, clock, log);
  }

  async close(): Promise<void> {
    void this.#stopCleaning();
    await withTimeout(CLOSE_MS, 'Closing the label queue', this.queue.close()).catch((err) =>
      this.#options.log.warn({ err }, 'The label queue was left open'),
    );
  }

  has(key: string): boolean {
    return this.#waits.has(key);
  }

  /**
   * Waits until a label is printed. All who wait for one label share its job.
   * @param pagesBefore which the account has in flight beside this label.
   * @throws DomainError `label-failed`, `label-late`; `client-gone` as soon as `signal` aborts; `unavailable` while a
   * Redis is away or refuses the label.
   */
  async wait(job: LabelJob, pagesBefore: number, signal: AbortSignal): Promise<PrintedLabel> {
    const { key, requestId } = job;
    const known = this.#waits.get(key);
    if (known) this.#options.log.info({ requestId, label: key }, 'A request joins a label in flight');
    const wait = known ?? this.#begin(job, pagesBefore);
    wait.callers++;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const clientLeft = () => reject(new DomainError('client-gone'));
    signal.addEventListener('abort', clientLeft);
    if (signal.aborted) clientLeft();
    try {
      return await Promise.race([wait.result, left]);
    } finally {
      signal.removeEventListener('abort', clientLeft);
      wait.callers--;
      if (wait.callers === 0) wait.abandoned.abort();
    }
  }

  #begin(job: LabelJob, pagesBefore: number): Wait {
    const abandoned = new AbortController();
    const forget = () => {
      if (this.#waits.get(job.key) === wait) this.#waits.delete(job.key);
    };
    const place = placeInLine(pagesBefore, !!job.behind, this.#options.clock.now());
    const result = this.#printed(job, place, abandoned.signal).finally(forget);
    result.catch(() => {}); // if no request waits
    abandoned.signal.addEventListener('abort', forget);
    const wait: Wait = { callers: 0, abandoned, result };
    this.#waits.set(job.key, wait);
    return wait;
  }

  async #printed(job: LabelJob, place: number, abandoned: AbortSignal): Promise<PrintedLabel> {
    const { cache, subscriber, timeoutMs } = this.#options;
    const channel = cache.channelOf(job.key);
    const end = AbortSignal.any([abandoned, AbortSignal.timeout(timeoutMs)]);
    const news = on(this.#news, channel, { signal: end }); // buffers news from here on
    try {
      await subscriber.subscribe(channel);
      return await this.#untilCached(job, place, news);
    } catch (error) {
      if (!end.aborted) throw error;
      if (abandoned.aborted) throw new DomainError('client-gone');
      const bytes = await cache.read(job.key);
      if (bytes) return { key: job.key, bytes };
      throw new DomainError('label-late', { cause: new Error(`label ${job.key}`) });
    } finally {
      await news.return?.();
      if (this.#news.listenerCount(channel) === 0) {
        subscriber.unsubscribe(channel).catch(() => {}); // a closed connection has no subscriptions
      }
    }
  }

  /**
   * Adds a label's job, and again if it ended without the label. BullMQ ignores a job that is still in flight.
   * @throws DomainError `unavailable` if the Redis of the labels refuses to store the label, or keeps evicting it.
   */
  async #untilCached(job: LabelJob, place: number, news: AsyncIterator<unknown[]>): Promise<PrintedLabel> {
    const { cache, clock, onFinished } = this.#options;
    const cause = new Error(`label ${job.key}`);
    let { key } = job;
    let evictions = 0;
    const add = () => {
      const options = {
        ...labelJobOptions(job.key, place, evictions, job.label.kind),
        timestamp: clock.now(),
      };
      return this.queue.add(job.label.kind, toQueue(job), options);
    };
    // Reads and adds at once to save a round trip: a label that another process has just had printed is printed twice.
    let [bytes] = await Promise.all([cache.read(key), add()]);
    for (;;) {
      if (bytes) return { key, bytes };
      const [heard] = (await news.next()).value as [LabelNews | 'reconnected'];
      const printedAs = typeof heard === 'object' ? heard.printed : undefined;
      // A label that failed took the printers' time as well.
      if (printedAs || heard === 'failed' || heard === 'unstored') onFinished(pageCount(job.label));
      if (heard === 'failed') throw new DomainError('label-failed', { cause });
      if (heard === 'unstored') throw new DomainError('unavailable', { cause });
      if (printedAs) evictions++; // counts only if the next look finds no label
      key = printedAs ?? job.key;
      bytes = await cache.read(key);
      if (bytes) continue;
      if (evictions === MAX_EVICTIONS) throw new DomainError('unavailable', { cause });
      await add();
    }
  }

  /** Makes every wait look again once the subscriptions are back. */
  async #lookAgain(): Promise<void> {
    const { cache, subscriber } = this.#options;
    // ioredis has just sent the subscriptions again; Redis answers a ping after them.
    await subscriber.ping().catch(() => {}); // another connection follows
    for (const key of this.#waits.keys()) this.#news.emit(cache.channelOf(key), 'reconnected');
  }
}

/**
 * In ms: each page that its account has in flight puts a label so far back in the line. An account with nothing in
 * flight goes before one with 300 pages, whose labels are still printed within `LABEL_TIMEOUT_MS`.
 */
const PAGE_MS = 30;
/** In ms: a label of a file stands so far behind labels that are asked for one by one. */
const FILE_MS = 3_000;
/**
 * More pages put labels no further back. Otherwise an account that may have thousands of pages would overtake itself
 * whenever it has a hundred less.
 */
const MAX_LATER_PAGES = 300;
/** Unit of places, in ms: a day has fewer than BullMQ has priorities (2²¹). */
const UNIT_MS = 50;
const DAY_MS = 86_400_000;
/** In ms of UTC: places begin anew at 03:00 in Mexico City, when few labels are printed. */
const DAY_BEGINS_MS = 9 * 3_600_000;

/**
 * Returns a place as BullMQ's priority: the time of the request, and later the more pages the account has in flight.
 * Places by pages in flight alone would starve the largest account.
 * @param now in ms since 1970, by the clock of the queue's Redis (`RedisClock`).
 */
export function placeInLine(pagesInFlight: number, behind: boolean, now: number): number {
  const timeOfDay = (now - DAY_BEGINS_MS) % DAY_MS;
  const later = PAGE_MS * Math.min(pagesInFlight, MAX_LATER_PAGES) + (behind ? FILE_MS : 0);
  return 1 + Math.floor((timeOfDay + later) / UNIT_MS);
}
