import { Pool } from 'undici';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { Branch, DestinationQuery, ResolveRequest, ResolveResponse } from '#shared/contracts/branch.ts';
import { MAX_GUIDES } from '#shared/contracts/guide.ts';
import { DomainError } from '#shared/errors.ts';
import { callInternal } from './internal-call.ts';

/** Most calls of questions under way at a time; questions that come meanwhile share the next ones. */
const MAX_CALLS = 8;
/** Most questions in a call: their request ids share one header. */
const MAX_QUESTIONS = 25;
/** Most questions that wait for a call: the branches service answers as many in some 0.2 s. */
const MAX_WAITING = 2_000;

/** What one request asks: where its guides start, unless that does not matter, and where they end. */
type Query = { origin: string | null; destinations: readonly DestinationQuery[] };
/** The branches of a query, each null unless guides may start or end there. */
type Answer = { origin: Branch | null; destinations: (Branch | null)[] };
/** The request that asks; `gone` aborts when its client is gone. */
export type Asker = { requestId: string; gone: AbortSignal };

type Question = Query & { requestId: string; answer: PromiseWithResolvers<Answer>; call?: Call | undefined };
/** A call under way, and the questions in it whose askers still wait. */
type Call = { waiting: Set<Question>; end: AbortController };

type Options = {
  url: string;
  token: string;
  /** Longest wait for an answer, in ms; afterwards the asker gets an error that counts as `unavailable`. */
  timeoutMs: number;
};

/**
 * Asks the branches service. Questions of one event-loop turn, and those that wait while enough calls are under way, share
 * a call: with a call for each, a creation costs 1.7 times the CPU.
 *
 * An asker that leaves, or has waited too long, takes its question along: it is not sent, and a call that nobody waits for
 * ends. A service that hangs is therefore sent nothing in vain, and recovers at once.
 */
export class BranchesClient {
  readonly #pool: Pool;
  readonly #token: string;
  readonly #timeoutMs: number;
  /** In the order in which they came. */
  readonly #waiting = new Set<Question>();
  #calls = 0;
  #scheduled = false;
  #listing: Promise<Branch[]> | undefined;

  constructor({ url, token, timeoutMs }: Options) {
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    this.#pool = new Pool(url, {
      connections: MAX_CALLS + 2, // one for the listing, one for the health check
      connect: { timeout: 1_000 },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  /**
   * Returns the branches of the origin and the destinations of one creation request.
   *
   * @throws DomainError `client-gone`; `unavailable` when too many wait, or the service says so; TimeoutError.
   */
  async resolve(query: Query, { requestId, gone }: Asker): Promise<Answer> {
    if (gone.aborted) throw new DomainError('client-gone');
    if (this.#waiting.size >= MAX_WAITING) {
      const cause = new Error(`${MAX_WAITING} questions already wait for the branches service`);
      throw new DomainError('unavailable', { cause });
    }
    const answer = Promise.withResolvers<Answer>();
    const question: Question = { ...query, requestId, answer };
    const leave = () => answer.reject(new DomainError('client-gone'));
    gone.addEventListener('abort', leave);
    this.#waiting.add(question);
    this.#schedule();
    try {
      return await withTimeout(this.#timeoutMs, 'Asking the branches service', answer.promise);
    } finally {
      gone.removeEventListener('abort', leave);
      this.#forget(question);
    }
  }

  /** Returns the branch of a single destination, or undefined where it has none. @throws as `resolve` does. */
  async destination(query: DestinationQuery, asker: Asker): Promise<Branch | undefined> {
    const { destinations } = await this.resolve({ origin: null, destinations: [query] }, asker);
    return destinations[0] ?? undefined;
  }

  /** Returns the active branches, ordered by code. Those who ask at the same time share one call. */
  active(requestId: string): Promise<readonly Branch[]> {
    this.#listing ??= this.#call<Branch[]>('/internal/branches', [requestId]).finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  /** Rejects when the service does not answer in time. */
  ping(): Promise<unknown> {
    return this.#call('/health/live', ['health']);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  /** Drops a question that nobody waits for any more, and ends its call when that was the last one in it. */
  #forget(question: Question): void {
    this.#waiting.delete(question);
    const { call } = question;
    call?.waiting.delete(question);
    if (call?.waiting.size === 0) call.end.abort();
  }

  /** Sends what waits once all requests of this event-loop turn have asked. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#waiting.size > 0 && this.#calls < MAX_CALLS) void this.#send(this.#takeBatch());
    });
  }

  /** Takes the questions that waited longest, as many as one call may have. */
  #takeBatch(): Question[] {
    const batch: Question[] = [];
    let destinations = 0;
    for (const question of this.#waiting) {
      destinations += question.destinations.length;
      if (batch.length === MAX_QUESTIONS || (batch.length > 0 && destinations > MAX_GUIDES)) break;
      this.#waiting.delete(question);
      batch.push(question);
    }
    return batch;
  }

  async #send(batch: readonly Question[]): Promise<void> {
    const call: Call = { waiting: new Set(batch), end: new AbortController() };
    for (const question of batch) question.call = call;
    this.#calls++;
    try {
      const answers = await this.#ask(batch, call.end.signal);
      for (const [index, { answer }] of batch.entries()) answer.resolve(answers[index] as Answer);
    } catch (error) {
      for (const { answer } of batch) answer.reject(error);
    } finally {
      for (const question of batch) question.call = undefined;
      this.#calls--;
      this.#schedule();
    }
  }

  /** Asks for each distinct origin and destination once. @returns the answer to each question. */
  async #ask(batch: readonly Question[], signal: AbortSignal): Promise<Answer[]> {
    const origins = new Set(batch.flatMap(({ origin }) => origin ?? []));
    const queries = batch.flatMap(({ destinations }) => destinations);
    const destinations = new Map(queries.map((query) => [keyOf(query), query]));
    const request: ResolveRequest = { origins: [...origins], destinations: [...destinations.values()] };
    const requestIds = batch.map(({ requestId }) => requestId);
    const found = await this.#call<ResolveResponse>('/internal/resolve', requestIds, request, signal);
    const starts = new Map([...origins].map((code, index) => [code, found.origins[index]]));
    const ends = new Map([...destinations.keys()].map((key, index) => [key, found.destinations[index]]));
    return batch.map(({ origin, destinations }) => ({
      origin: starts.get(origin ?? '') ?? null,
      destinations: destinations.map((query) => ends.get(keyOf(query)) ?? null),
    }));
  }

  #call<T>(path: string, requestIds: readonly string[], body?: unknown, signal?: AbortSignal): Promise<T> {
    const call = { service: 'branches', token: this.#token, path, requestIds, body, signal };
    return callInternal<T>(this.#pool, call);
  }
}

function keyOf(query: DestinationQuery): string {
  return JSON.stringify(query);
}
