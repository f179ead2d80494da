import fastq from 'fastq';
import { LRUCache } from 'lru-cache';
import { Pool } from 'undici';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { Tally } from '#shared/async/tally.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type {
  Branch,
  CoverageResponse,
  DestinationQuery,
  ResolveResponse,
  VersionResponse,
} from '#shared/branches/branch.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { callInternal } from '../platform/internal-call.ts';
import {
  ABSENT_MS,
  type Answer,
  type Destination,
  KnownBranches,
  type Query,
  VERSION_WAIT_MS,
} from './known-branches.ts';

/** Most calls in flight, one request each. */
const MAX_CALLS = 8;
/** Most requests that wait for a call: about half a second of work for the branches service. */
const MAX_WAITING = 2_000;
/** Most waiting requests of one account, so that one flood leaves room for others. */
const MAX_WAITING_PER_ACCOUNT = 500;
/** Most calls to the service for one request: one for every 500 destinations, and again after a load. */
const MAX_ATTEMPTS = 5;
/** How long an answer about cities is shared, in ms: a load is visible within a second. */
const CITIES_MS = 500;
/** Longest wait for cities, in ms, and most answers that are remembered. */
const CITIES_WAIT_MS = 1_000;
const MAX_CITIES = 1_000;

/** The request that asks; `signal` aborts when its client is gone. */
export type BranchesCaller = { requestId: string; account: string; signal: AbortSignal };

/** `from`: since when it waits for its turn, of `performance.now()`. */
type Call = { query: Query; requestId: string; signal: AbortSignal; from: number };
type Options = {
  url: string;
  token: string;
  /** Longest wait for an answer, in ms; afterwards the caller gets an error that counts as `unavailable`. */
  timeoutMs: number;
};

/**
 * Asks the branches service, and keeps the branches of its answers while the version of the last load stands. Requests check the
 * version, at most every 400 ms. A call for each creation would cost a fifth of its time.
 *
 * While the branches service is away, known answers serve for a minute; others are `unavailable`.
 */
export class BranchesClient {
  readonly #pool: Pool;
  readonly #token: string;
  readonly #timeoutMs: number;
  readonly #known = new KnownBranches();
  readonly #askingVersion = new SingleFlight<string>();
  readonly #calls = fastq.promise((call: Call) => this.#resolve(call), MAX_CALLS);
  /** Requests without an answer, by account. */
  readonly #unanswered = new Tally();
  readonly #cities = new LRUCache<string, ReadonlyMap<string, string>>({
    max: MAX_CITIES,
    ttl: CITIES_MS,
    fetchMethod: (codes) => this.#askCities(codes.split(',')),
    ignoreFetchAbort: true,
  });
  readonly #listing = new SingleFlight<Branch[]>();
  /** The last list of all coverage, as `Known`. */
  #coverage: { answer: CoverageResponse; dueAt: number } | undefined;
  readonly #askingCoverage = new SingleFlight<CoverageResponse>();

  constructor({ url, token, timeoutMs }: Options) {
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    this.#pool = new Pool(url, {
      connections: MAX_CALLS + 5, // one each for the version, the listing, the coverage, cities, and the health check
      connect: { timeout: 1_000 },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  /**
   * Returns the branches of the origin and the destinations of one creation request, all of one version.
   *
   * @throws DomainError `client-gone`; `unavailable` when too many wait, in all or of the account, or the service says so;
   * TimeoutError.
   */
  async resolve(query: Query, caller: BranchesCaller): Promise<Answer> {
    if (caller.signal.aborted) throw new DomainError('client-gone');
    let signal: AbortSignal | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const version = await this.#currentVersion();
      if (!this.#known.missing(version, query)) return this.#known.answer(version, query);
      signal ??= AbortSignal.any([caller.signal, AbortSignal.timeout(this.#timeoutMs)]);
      await this.#awaitTurn(query, caller, signal).catch(async (error: unknown) => {
        if (this.#known.missing(await this.#versionAfter(error), query)) throw error;
      });
    }
    throw new DomainError('unavailable', {
      cause: new Error('Loads of branches follow one another too fast'),
    });
  }

  /** Returns what a destination names, or undefined if no guide may end there. @throws as `resolve` does. */
  async destination(query: DestinationQuery, caller: BranchesCaller): Promise<Destination | undefined> {
    const { destinations } = await this.resolve({ origin: null, destinations: [query] }, caller);
    return destinations[0] ?? undefined;
  }

  /** Returns the active branches, ordered by code. Concurrent callers share one call. */
  active(requestId: string): Promise<readonly Branch[]> {
    return this.#listing.run(() => this.#call('/internal/branches', requestId));
  }

  /**
   * Returns all covered postal codes, for ten seconds the same object unless a load changes them.
   * @throws DomainError `unavailable`; TimeoutError.
   */
  async coverage(requestId: string): Promise<CoverageResponse> {
    const known = this.#knownCoverage(await this.#currentVersion());
    if (known) return known;
    const answer = this.#askingCoverage.run(async () => {
      const coverage = await this.#call<CoverageResponse>('/internal/coverage', requestId);
      this.#coverage = { answer: coverage, dueAt: performance.now() + ABSENT_MS };
      return coverage;
    });
    return answer.catch(async (error: unknown) => {
      const earlier = this.#knownCoverage(await this.#versionAfter(error));
      if (!earlier) throw error;
      return earlier;
    });
  }

  #knownCoverage(version: string): CoverageResponse | undefined {
    const { answer, dueAt = 0 } = this.#coverage ?? {};
    return answer?.version === version && this.#known.serves(dueAt) ? answer : undefined;
  }

  /** Returns the cities of branches, by their codes, closed ones too. @throws when the service does not answer in time. */
  async cities(codes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const sorted = [...new Set(codes)].sort();
    if (sorted.length === 0) return new Map();
    return withTimeout(CITIES_WAIT_MS, 'Asking for cities', this.#cities.forceFetch(sorted.join(',')));
  }

  async #askCities(codes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const signal = AbortSignal.timeout(CITIES_WAIT_MS);
    const cities = await this.#call<(string | null)[]>('/internal/cities', 'rastreo', codes, signal);
    return new Map(codes.flatMap((code, i) => (cities[i] ? [[code, cities[i]] as const] : [])));
  }

  /** Asks what creations ask, with the same token. @throws RefusesUs if branches does not take it. */
  ping(): Promise<unknown> {
    return this.#call('/internal/version', 'health');
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  /** Puts a query in the line of calls. @returns when it was answered, or calls before it have brought all that it needs. */
  async #awaitTurn(
    query: Query,
    { requestId, account, signal: clientGone }: BranchesCaller,
    signal: AbortSignal,
  ): Promise<void> {
    const isFull = this.#calls.length() + this.#calls.running() >= MAX_WAITING;
    if (isFull || this.#unanswered.of(account) >= MAX_WAITING_PER_ACCOUNT) {
      const whose = isFull ? 'requests' : 'requests of the account';
      const cause = new Error(`Too many ${whose} already wait for the branches service`);
      throw new DomainError('unavailable', { cause });
    }
    this.#unanswered.add(account);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(clientGone.aborted ? new DomainError('client-gone') : signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      await Promise.race([this.#calls.push({ query, requestId, signal, from: performance.now() }), aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
      this.#unanswered.remove(account);
    }
  }

  /**
   * Makes the call when it is the request's turn, unless its client has left, or calls before it have brought all that
   * it needs. After half of its time a request is not sent, because the service then hangs.
   */
  async #resolve({ query, requestId, signal, from }: Call): Promise<void> {
    if (signal.aborted) return;
    const request = this.#known.missing(this.#known.lastVersion, query);
    if (!request) return;
    if (performance.now() - from > this.#timeoutMs / 2) throw new DomainError('unavailable');
    const found = await this.#call<ResolveResponse>('/internal/resolve', requestId, request, signal);
    this.#known.remember(request, found);
  }

  /** Returns the version of the last load. @throws when the branches service has not said it for a minute. */
  #currentVersion(): string | Promise<string> {
    return this.#known.currentVersion() ?? this.#askingVersion.run(() => this.#askVersion());
  }

  /**
   * Finds out whether the service is away, after a call that failed.
   * @returns the version, as `#currentVersion` does.
   * @throws `error` if the service itself has refused, or the client is gone.
   */
  #versionAfter(error: unknown): Promise<string> {
    if (error instanceof DomainError) throw error;
    return this.#askingVersion.run(() => this.#askVersion());
  }

  async #askVersion(): Promise<string> {
    try {
      const signal = AbortSignal.timeout(VERSION_WAIT_MS);
      const { version } = await this.#call<VersionResponse>(
        '/internal/version',
        'version',
        undefined,
        signal,
      );
      this.#known.confirmVersion(version);
      return version;
    } catch (error) {
      const known = this.#known.missVersion();
      if (known === undefined) throw error;
      return known;
    }
  }

  #call<T>(path: string, requestId: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    return callInternal<T>(this.#pool, {
      service: 'branches',
      token: this.#token,
      path,
      requestId,
      body,
      signal,
    });
  }
}
