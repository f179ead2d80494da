import type { Pool } from 'undici';
import { DomainError } from '#shared/errors.ts';
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER, SHARED_IDS_HEADER } from '#shared/http/internal-calls.ts';

type Call = {
  /** Names the service in errors. */
  service: string;
  token: string;
  path: string;
  /** Of the requests for which the call is made; one at least. */
  requestIds: readonly string[];
  /** Sent as JSON by POST; without it the call is a GET. */
  body?: unknown;
  signal?: AbortSignal | undefined;
};

/**
 * Calls another service of ours, and returns its answer.
 *
 * @throws DomainError `unavailable` where the service says so; Error with any other answer; what undici throws.
 */
export async function callInternal<T>(
  pool: Pool,
  { service, token, path, requestIds: [requestId = '', ...others], body, signal }: Call,
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
    ...(signal && { signal }),
  });
  if (response.statusCode === 200) return (await response.body.json()) as T;
  const cause = new Error(`${service} answered ${response.statusCode}: ${await response.body.text()}`);
  throw response.statusCode === 503 ? new DomainError('unavailable', { cause }) : cause;
}
