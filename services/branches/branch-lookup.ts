import { Counter, Histogram, type Registry } from 'prom-client';
import { repeat } from '#shared/async/repeat.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import type { DestinationQuery, ResolveRequest, ResolveResponse } from '#shared/branches/branch.ts';
import { type BranchStore, type Directory, type Found, missingRows } from '#shared/branches/branch-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { type BranchCache, listingOf, stampOf } from './branch-cache.ts';
import { coverageRanges } from './coverage-ranges.ts';

/** A load is visible after this time. */
const COMPARE_INTERVAL_MS = 300;
/** How often the rows are counted while all are there, in ms: with the heartbeat, "Estado" names a loss within 15 s. */
const COUNT_MS = 10_000;
/** How often they are counted while some are missing, in ms: what was lost is answered soon after it is back. */
const RECOUNT_MS = 1_000;
/** Pause after a failed rebuild, because each rebuild reads all branches and coverage. */
const REBUILD_PAUSE_MS = 5_000;

type Deps = { store: BranchStore; cache: BranchCache; log: Logger; metrics: Registry };

/**
 * Reads branches from the cache if it has the stamp of what was counted last in the database, otherwise from the database. A load
 * is therefore visible within 300 ms. Each process rebuilds an outdated cache. Concurrent rebuilds write the same data.
 *
 * While the database has fewer rows than were loaded, only the cache answers: it was made when all were there. Without it
 * lookups are `unavailable`, because a lost branch or postal code would look like one that the carrier does not have.
 */
export class BranchLookup {
  readonly #store: BranchStore;
  readonly #cache: BranchCache;
  readonly #log: Logger;
  readonly #metrics: ReturnType<typeof createMetrics>;
  readonly #failures: FailureLog;
  readonly #listings = new SingleFlight<string>();
  /** As the rows were counted last; undefined until the database has answered once. */
  #directory: Directory | undefined;
  /** Of the cache that belongs to it. */
  #stamp = '';
  /** What it lacks, in words. */
  #lacks: string | undefined;
  #countedAt = Number.NEGATIVE_INFINITY;
  #rebuildFrom = 0;
  #stop = async () => {};

  constructor({ store, cache, log, metrics }: Deps) {
    this.#store = store;
    this.#cache = cache;
    this.#log = log;
    this.#failures = new FailureLog(log, {
      failed: 'Bringing the branch cache in step with the database failed',
      recovered: 'The branch cache is in step with the database again',
    });
    this.#metrics = createMetrics(metrics);
  }

  /** Rebuilds an outdated cache, and checks again until `close`. Never rejects. */
  async open(): Promise<void> {
    await this.#compare();
    this.#stop = repeat((signal) => this.#compare(signal), { pauseMs: COMPARE_INTERVAL_MS });
  }

  close(): void {
    void this.#stop();
  }

  /** @throws DomainError `unavailable` until the database has answered once. */
  version(): string {
    if (!this.#directory) throw new DomainError('unavailable');
    return this.#directory.version;
  }

  /** Returns what is in force, as it was counted last; undefined until the database has answered once. */
  get directory(): Directory | undefined {
    return this.#directory;
  }

  /** @throws Error that says how many rows are missing. */
  requireWhole(): void {
    if (this.#lacks) throw new Error(this.#lacks);
  }

  active(): Promise<string> {
    const stored = async () => listingOf(await this.#store.active());
    return this.#read(
      ({ stamp }) => this.#cache.active(stamp),
      () => this.#listings.run(stored, 'active'),
    );
  }

  /** Returns the JSON of a `CoverageResponse`. */
  coverage(): Promise<string> {
    const stored = async () => JSON.stringify(coverageRanges(await this.#store.wholeSnapshot()));
    return this.#read(
      ({ stamp }) => this.#cache.coverage(stamp),
      () => this.#listings.run(stored, 'coverage'),
    );
  }

  /**
   * Looks up all branches in one round trip to Redis.
   * @returns each branch in the order of the queries; null unless the branch is active and allows that use.
   */
  async resolve({ origins, destinations }: ResolveRequest): Promise<ResolveResponse> {
    const queries = [...origins.map((code) => ({ code })), ...destinations];
    const { version, found } = await this.#find(queries);
    const active = found.map((one) => (one?.branch.Activa ? one : null));
    const reached = active.slice(origins.length).map((one) => (one?.branch.Destino ? one : null));
    return {
      version,
      origins: active.slice(0, origins.length).map((one) => (one?.branch.Origen ? one.branch : null)),
      destinations: reached.map((one) => one?.branch ?? null),
      ...(reached.some((one) => one?.route) && { routes: reached.map((one) => one?.route ?? null) }),
    };
  }

  /** Returns city and state of each branch, active or not; null for an unknown one. */
  async cities(codes: readonly string[]): Promise<(string | null)[]> {
    const { found } = await this.#find(codes.map((code) => ({ code })));
    return found.map((one) => one && [one.branch.Municipio, one.branch.Estado].filter(Boolean).join(', '));
  }

  #find(queries: readonly DestinationQuery[]): Promise<Found> {
    return this.#read(
      async ({ version, stamp }) => {
        const found = await this.#cache.find(stamp, queries);
        return found && { version, found };
      },
      () => this.#store.find(queries),
    );
  }

  /**
   * Reads the database if the cache cannot be read. `#compare` logs why.
   * @throws DomainError `unavailable` if the database lacks rows, or has not answered yet.
   */
  async #read<T>(
    cached: (expected: { version: string; stamp: string }) => Promise<T | undefined>,
    stored: () => Promise<T>,
  ): Promise<T> {
    const version = this.version();
    const value = await cached({ version, stamp: this.#stamp }).catch(() => undefined);
    this.#metrics.lookups.inc({ result: value === undefined ? 'miss' : 'hit' });
    if (value !== undefined) return value;
    if (this.#lacks) throw new DomainError('unavailable', { cause: new Error(this.#lacks) });
    return stored();
  }

  /** Never rejects. While it fails, lookups ask the database. */
  async #compare(signal?: AbortSignal): Promise<void> {
    try {
      await this.#countIfDue();
      this.requireWhole();
      if ((await this.#cache.stamp()) === this.#stamp) this.#failures.succeeded();
      else await this.#rebuild();
    } catch (error) {
      if (!signal?.aborted) this.#failures.failed(error);
    }
  }

  /** Counts the rows after a load, and else now and then: they may be lost at any time. */
  async #countIfDue(): Promise<void> {
    const version = await this.#store.version();
    const age = performance.now() - this.#countedAt;
    if (version === this.#directory?.version && age < (this.#lacks ? RECOUNT_MS : COUNT_MS)) return;
    const directory = await this.#store.directory();
    this.#countedAt = performance.now();
    this.#directory = directory;
    this.#stamp = stampOf(directory);
    this.#lacks = missingRows(directory);
  }

  async #rebuild(): Promise<void> {
    if (performance.now() < this.#rebuildFrom) return;
    try {
      const stopTimer = this.#metrics.rebuildSeconds.startTimer();
      const snapshot = await this.#store.wholeSnapshot();
      await this.#cache.replace(snapshot);
      const { version, branches, coverage } = snapshot;
      const ms = Math.round(stopTimer() * 1_000);
      this.#metrics.rebuilds.inc({ result: 'ok' });
      this.#log.info(
        { version, branches: branches.length, coverage: coverage.length, ms },
        `Rebuilt the branch cache in ${ms} ms`,
      );
    } catch (error) {
      this.#rebuildFrom = performance.now() + REBUILD_PAUSE_MS;
      this.#countedAt = Number.NEGATIVE_INFINITY; // rows may be lost
      this.#metrics.rebuilds.inc({ result: 'failed' });
      throw error;
    }
  }
}

function createMetrics(metrics: Registry) {
  const registers = [metrics];
  const lookups = new Counter({
    name: 'branch_cache_lookups_total',
    help: 'Lookups of branches. hit: the cache answered; miss: it is away, full or behind, and the database was asked',
    labelNames: ['result'],
    registers,
  });
  const rebuilds = new Counter({
    name: 'branch_cache_rebuilds_total',
    help: 'Rebuilds of the branch cache from the database by this process',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['hit', 'miss']) lookups.inc({ result }, 0);
  for (const result of ['ok', 'failed']) rebuilds.inc({ result }, 0);
  const rebuildSeconds = new Histogram({
    name: 'branch_cache_rebuild_seconds',
    help: 'Duration of a successful rebuild, from the first read to the last write',
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers,
  });
  return { lookups, rebuilds, rebuildSeconds };
}
