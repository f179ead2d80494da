import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Branch, DestinationQuery } from '#shared/contracts/branch.ts';
import { DomainError } from '#shared/errors.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import type { BranchStore } from '../store/branch-store.ts';
import { BranchHash, branchField, coverageField, isDestination } from './branch-hash.ts';
import { createCacheMetrics } from './cache-metrics.ts';
import { RebuildLock } from './rebuild-lock.ts';

/** Longest time that a rebuild keeps the others waiting, in ms: its process is then taken for dead. */
const REBUILD_LEASE = 15_000;
/** Longest wait of a request for a cold cache, in ms. */
const WARM_TIMEOUT = 5_000;
/** How often a waiting request looks whether another process has finished the rebuild, in ms. */
const WARM_POLL_INTERVAL = 25;
/** How often the cache is compared with the database, in ms: a load is visible within a second. */
const REFRESH_INTERVAL = 300;

/** Answers from Redis what the database has, and is rebuilt from it by one process at a time. */
export class BranchCache {
  readonly #store: BranchStore;
  readonly #log: Logger;
  readonly #hash: BranchHash;
  readonly #lock: RebuildLock;
  readonly #metrics: ReturnType<typeof createCacheMetrics>;
  #warming: Promise<void> | undefined;
  #refreshTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(redis: RedisClient, prefix: string, store: BranchStore, log: Logger, metrics: Registry) {
    this.#store = store;
    this.#log = log;
    this.#hash = new BranchHash(redis, `${prefix}:branches`);
    this.#lock = new RebuildLock(redis, `${prefix}:branches-rebuild`, REBUILD_LEASE);
    this.#metrics = createCacheMetrics(metrics);
  }

  /** Fills the cache where it is cold, then keeps it in step with the database until `close`. */
  async open(): Promise<void> {
    await this.#refresh();
    this.#scheduleRefresh();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#refreshTimer);
  }

  /** Returns the active branches, ordered by code, as JSON text: the service only passes them on. */
  async active(): Promise<string> {
    return (await this.#read(['active']))[0] ?? '[]';
  }

  /**
   * Looks up origin and destinations of one creation request, in one round trip.
   *
   * @returns the origin where it is active and an origin; each destination, in the order asked, where it is
   * active and a destination.
   * @throws DomainError `unavailable` when the cache stays cold for five seconds.
   */
  async resolve(
    origin: string | null,
    destinations: readonly DestinationQuery[],
  ): Promise<{ origin: Branch | null; destinations: (Branch | null)[] }> {
    const fields = destinations.map((query) =>
      'code' in query ? branchField(query.code) : coverageField(query.postalCode),
    );
    const values = await this.#read([branchField(origin ?? ''), ...fields]);
    const [first, ...rest] = values.map((json) => (json ? (JSON.parse(json) as Branch) : undefined));
    return {
      origin: first?.Activa && first.Origen ? first : null,
      destinations: rest.map((branch) => (branch && isDestination(branch) ? branch : null)),
    };
  }

  /** Reads fields; waits while the cache is cold. */
  async #read(fields: readonly string[]): Promise<(string | null)[]> {
    const deadline = performance.now() + WARM_TIMEOUT;
    for (;;) {
      const values = await this.#hash.read(fields);
      this.#metrics.lookups.inc({ result: values ? 'hit' : 'miss' });
      if (values) return values;
      if (performance.now() > deadline) throw new DomainError('unavailable');
      await this.#warm();
    }
  }

  /** Shares one attempt among all requests of this process. */
  #warm(): Promise<void> {
    this.#warming ??= this.#rebuildOrWait().finally(() => {
      this.#warming = undefined;
    });
    return this.#warming;
  }

  /** Rebuilds the cache, or waits a moment where another process does. */
  async #rebuildOrWait(): Promise<void> {
    const ran = await this.#lock.tryRun((token) => this.#rebuild(token));
    if (!ran) await sleep(WARM_POLL_INTERVAL);
  }

  async #rebuild(token: string): Promise<void> {
    try {
      if (await this.#isCurrent()) return; // by the process that held the lock before
      const stopTimer = this.#metrics.rebuildSeconds.startTimer();
      const snapshot = await this.#store.snapshot();
      await this.#hash.replace(snapshot, token);
      const { version, branches, coverage } = snapshot;
      const ms = Math.round(stopTimer() * 1_000);
      this.#metrics.rebuilds.inc({ result: 'ok' });
      this.#log.info(
        { version, branches: branches.length, coverage: coverage.length, ms },
        `Rebuilt the branch cache in ${ms} ms`,
      );
    } catch (error) {
      this.#metrics.rebuilds.inc({ result: 'failed' });
      throw error;
    }
  }

  #scheduleRefresh(): void {
    this.#refreshTimer = setTimeout(() => {
      this.#refresh()
        .catch((error: unknown) => {
          const level = isTransientError(error) ? 'warn' : 'error';
          this.#log[level]({ err: error }, 'Comparing the branch cache with the database failed');
        })
        .finally(() => {
          if (!this.#closed) this.#scheduleRefresh();
        });
    }, REFRESH_INTERVAL);
  }

  async #refresh(): Promise<void> {
    if (!(await this.#isCurrent())) await this.#warm();
  }

  async #isCurrent(): Promise<boolean> {
    const [stored, cached] = await Promise.all([this.#store.version(), this.#hash.version()]);
    return stored === cached;
  }
}
