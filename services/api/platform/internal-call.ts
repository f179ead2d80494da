import type { Pool } from 'undici';
import { DomainError, type ErrorCode } from '#shared/errors/domain-error.ts';
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '#shared/http/internal-calls.ts';
import { RefusesUs } from '#shared/stores/dependencies.ts';

type Call = {
  service: string;
  token: string;
  path: string;
  /** Id of the request that makes the call. */
  requestId: string;
  /** Sent as JSON by POST; without it the call is a GET. */
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Error code for a 404 of the service. */
  notFound?: ErrorCode;
};

/**
 * Calls another of our services, and returns its answer.
 *
 * @throws DomainError `unavailable` if the service says so, `notFound` if it answers 404; RefusesUs if it does not take the
 * token; Error for any other answer; what undici throws.
 */
export async function callInternal<T>(
  pool: Pool,
  { service, token, path, requestId, body, signal, notFound }: Call,
): Promise<T> {
  const response = await pool.request({
    method: body === undefined ? 'GET' : 'POST',
    path,
    headers: {
      [INTERNAL_TOKEN_HEADER]: token,
      [REQUEST_ID_HEADER]: requestId,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    ...(signal && { signal }),
  });
  if (response.statusCode === 200) return (await response.body.json()) as T;
  const cause = new Error(`${service} answered ${response.statusCode}: ${await response.body.text()}`);
  if (response.statusCode === 401) throw new RefusesUs(`${service} refuses INTERNAL_TOKEN`, { cause });
  if (response.statusCode === 503) throw new DomainError('unavailable', { cause });
  if (response.statusCode === 404 && notFound) throw new DomainError(notFound, { cause });
  throw cause;
}
