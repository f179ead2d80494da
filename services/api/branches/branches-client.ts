import { Pool } from 'undici';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { Branch, DestinationQuery, ResolveRequest, ResolveResponse } from '#shared/contracts/branch.ts';
import { MAX_GUIDES } from '#shared/contracts/guide.ts';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { INTERNAL_TOKEN_HEADER } from '#shared/http/internal-token.ts';
import { REQUEST_ID_HEADER, SHARED_IDS_HEADER } from '#shared/http/request-id.ts';
import { batchLoader } from '../batch-loader.ts';

/** Requests in one call. */
const MAX_BATCH = 25;
/** A request with more destinations goes alone. A full batch has as many as one call may have. */
const MAX_BATCHED_DESTINATIONS = MAX_GUIDES / MAX_BATCH;

type Question = ResolveRequest & { requestId: string };
const keyOf = (query: DestinationQuery) => JSON.stringify(query);

/** The branches service, as the API asks it. */
export type BranchesClient = ReturnType<typeof createBranchesClient>;
type Options = {
  url: string;
  token: string;
  /** Longest wait for an answer, in ms; afterwards the caller gets `unavailable`. */
  timeoutMs: number;
};

/** Opens the API's connections to the branches service: a soft dependency of the server, and closes with it. */
export function openBranchesClient(server: HttpServer, options: Options): BranchesClient {
  const branches = createBranchesClient(options);
  server.addHook('onClose', () => branches.close());
  server.dependencies.set('branches', { check: branches.ping, required: false });
  return branches;
}

export function createBranchesClient(options: Options) {
  const { url, token, timeoutMs } = options;
  const pool = new Pool(url, {
    connections: 32,
    connect: { timeout: 1_000 },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });

  function ask<T>(path: string, requestIds: readonly string[], body?: unknown): Promise<T> {
    // Not by an `AbortSignal.timeout`, which makes its error for each call, also when that was answered long ago.
    return withTimeout(timeoutMs, 'Asking the branches service', send<T>(path, requestIds, body));
  }

  async function send<T>(
    path: string,
    [requestId = '', ...others]: readonly string[],
    body?: unknown,
  ): Promise<T> {
    const response = await pool.request({
      method: body === undefined ? 'GET' : 'POST',
      path,
      headers: {
        [INTERNAL_TOKEN_HEADER]: token,
        [REQUEST_ID_HEADER]: requestId,
        ...(others.length > 0 && { [SHARED_IDS_HEADER]: [requestId, ...others].join() }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (response.statusCode === 200) return (await response.body.json()) as T;
    const cause = new Error(`branches answered ${response.statusCode}: ${await response.body.text()}`);
    throw response.statusCode === 503 ? new DomainError('unavailable', { cause }) : cause;
  }

  /** Makes one call for each origin, with each distinct destination once and the ids of its requests. */
  async function resolveAll(questions: readonly Question[]): Promise<ResolveResponse[]> {
    const calls = [...Map.groupBy(questions, ({ origin }) => origin)].map(async ([asked, ofOrigin]) => {
      const queries = ofOrigin.flatMap(({ destinations }) => destinations);
      const distinct = new Map(queries.map((query) => [keyOf(query), query]));
      const request: ResolveRequest = { origin: asked, destinations: [...distinct.values()] };
      const requestIds = ofOrigin.map(({ requestId }) => requestId);
      const { origin, destinations } = await ask<ResolveResponse>('/internal/resolve', requestIds, request);
      const found = new Map([...distinct.keys()].map((key, index) => [key, destinations[index] ?? null]));
      return [asked, { origin, found }] as const;
    });
    const answers = new Map(await Promise.all(calls));
    return questions.map(({ origin, destinations }) => ({
      origin: answers.get(origin)?.origin ?? null,
      destinations: destinations.map((query) => answers.get(origin)?.found.get(keyOf(query)) ?? null),
    }));
  }
  const resolveInBatch = batchLoader(resolveAll, MAX_BATCH);

  async function resolve(request: ResolveRequest, requestId: string): Promise<ResolveResponse> {
    const question = { ...request, requestId };
    if (request.destinations.length <= MAX_BATCHED_DESTINATIONS) return resolveInBatch(question);
    return (await resolveAll([question]))[0] as ResolveResponse;
  }

  return {
    /** Returns the branches of the origin and the destinations of one creation request. */
    resolve,
    /** Returns the branch of a single destination, or undefined where it has none. */
    destination: async (query: DestinationQuery, requestId: string) =>
      (await resolve({ origin: null, destinations: [query] }, requestId)).destinations[0] ?? undefined,
    /** Returns the active branches, ordered by code. */
    active: (requestId: string) => ask<Branch[]>('/internal/branches', [requestId]),
    /** Rejects when the service does not answer in time. */
    ping: () => ask('/health/live', ['health']),
    close: () => pool.destroy(),
  };
}
