import { Counter, Histogram, type Registry } from 'prom-client';
import { repeat } from '#shared/async/repeat.ts';
import { SingleFlight } from '#shared/async/single-flight.ts';
import type { DestinationQuery, ResolveRequest, ResolveResponse } from '#shared/branches/branch.ts';
import type { BranchStore, Found } from '#shared/branches/branch-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { type BranchCache, listingOf } from './branch-cache.ts';
import { coverageRanges } from './coverage-ranges.ts';

/** A load is visible after this time. */
const COMPARE_INTERVAL_MS = 300;
/** Pause after a failed rebuild, because each rebuild reads all branches and coverage. */
const REBUILD_PAUSE_MS = 5_000;

type Deps = { store: BranchStore; cache: BranchCache; log: Logger; metrics: Registry };

/**
 * Reads branches from the cache if it has the version last seen in the database, otherwise from the database. A load
 * is therefore visible within 300 ms. Each process rebuilds an outdated cache. Concurrent rebuilds write the same data.
 */
export class BranchLookup {
  readonly #store: BranchStore;
  readonly #cache: BranchCache;
  readonly #log: Logger;
  readonly #metrics: ReturnType<typeof createMetrics>;
  readonly #failures: FailureLog;
  readonly #listings = new SingleFlight<string>();
  #version = '';
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
    if (this.#version === '') throw new DomainError('unavailable');
    return this.#version;
  }

  active(): Promise<string> {
    const stored = async () => listingOf(await this.#store.active());
    return this.#read(
      (version) => this.#cache.active(version),
      () => this.#listings.run(stored, 'active'),
    );
  }

  /** Returns the JSON of a `CoverageResponse`. */
  coverage(): Promise<string> {
    const stored = async () => JSON.stringify(coverageRanges(await this.#store.snapshot()));
    return this.#read(
      (version) => this.#cache.coverage(version),
      () => this.#listings.run(stored, 'coverage'),
    );
  }

  /**
   * Looks up all branches in one round trip to Redis.
   * @returns each branch in the order asked; null unless the branch is active and allows that use.
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
      async (version) => {
        const found = await this.#cache.find(version, queries);
        return found && { version, found };
      },
      () => this.#store.find(queries),
    );
  }

  /** Reads the database if the cache cannot be read. `#compare` logs why. */
  async #read<T>(cached: (version: string) => Promise<T | undefined>, stored: () => Promise<T>): Promise<T> {
    const value = await cached(this.#version).catch(() => undefined);
    this.#metrics.lookups.inc({ result: value === undefined ? 'miss' : 'hit' });
    return value ?? stored();
  }

  /** Never rejects. While it fails, lookups ask the database. */
  async #compare(signal?: AbortSignal): Promise<void> {
    try {
      this.#version = await this.#store.version();
      if ((await this.#cache.version()) !== this.#version) await this.#rebuild();
      else this.#failures.succeeded();
    } catch (error) {
      if (!signal?.aborted) this.#failures.failed(error);
    }
  }

  async #rebuild(): Promise<void> {
    if (performance.now() < this.#rebuildFrom) return;
    try {
      const stopTimer = this.#metrics.rebuildSeconds.startTimer();
      const snapshot = await this.#store.snapshot();
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
