import { Pool } from 'undici';
import type { Branch, DestinationQuery, ResolveRequest, ResolveResponse } from '../../shared/branch.ts';
import { DomainError } from '../../shared/errors.ts';
import { INTERNAL_TOKEN_HEADER } from '../../shared/internal-token.ts';
import { REQUEST_ID_HEADER } from '../../shared/request-id.ts';

/** The branches service, as the API asks it. */
export type BranchesClient = ReturnType<typeof createBranchesClient>;

/** @param options.deadlineMs longest wait for an answer; afterwards the caller gets `unavailable`. */
export function createBranchesClient(options: { url: string; token: string; deadlineMs: number }) {
  const pool = new Pool(options.url, { connections: 32, connect: { timeout: 1_000 } });

  async function ask<T>(path: string, requestId: string, body?: unknown): Promise<T> {
    const response = await pool.request({
      method: body === undefined ? 'GET' : 'POST',
      path,
      headers: {
        [INTERNAL_TOKEN_HEADER]: options.token,
        [REQUEST_ID_HEADER]: requestId,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(options.deadlineMs),
    });
    if (response.statusCode === 200) return (await response.body.json()) as T;
    const cause = new Error(`branches answered ${response.statusCode}: ${await response.body.text()}`);
    throw response.statusCode === 503 ? new DomainError('unavailable', { cause }) : cause;
  }

  const resolve = (request: ResolveRequest, requestId: string) =>
    ask<ResolveResponse>('/internal/resolve', requestId, request);

  return {
    /** Origin and destinations of one creation request (shared/branch.ts says what comes back). */
    resolve,
    /** The branch that a single destination means, or undefined where it cannot be one. */
    destination: async (query: DestinationQuery, requestId: string) =>
      (await resolve({ origin: null, destinations: [query] }, requestId)).destinations[0] ?? undefined,
    /** Active branches, ordered by code. */
    active: (requestId: string) => ask<Branch[]>('/internal/branches', requestId),
    /** Rejects when the service does not answer. */
    ping: () => ask('/health/live', 'health'),
    close: () => pool.destroy(),
  };
}
