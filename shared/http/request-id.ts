import { randomUUID } from 'node:crypto';

export const REQUEST_ID_HEADER = 'x-request-id';

/** The caller's own id if harmless in logs and headers, else a new one (docs/contract.md "Envelopes"). */
export function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const own = request.headers[REQUEST_ID_HEADER];
  return typeof own === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(own) ? own : randomUUID();
}
