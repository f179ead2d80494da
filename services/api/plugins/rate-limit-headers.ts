import type { FastifyReply } from 'fastify';
import type { QuotaState } from '../quotas/account-limits.ts';

/** The headers that tell a client of its limits; pages of other origins may read them. */
export const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy'];

/**
 * Adds a limit to the answer's `RateLimit` and `RateLimit-Policy`, behind those that are there already
 * (draft-ietf-httpapi-ratelimit-headers-10, a list of items each). Also an error keeps them.
 */
export function addRateLimit(reply: FastifyReply, state: QuotaState): void {
  const { policy, quota, windowS, remaining, resetS } = state;
  const window = windowS === undefined ? '' : `;w=${windowS}`;
  const reset = resetS === undefined ? '' : `;t=${resetS}`;
  append(reply, 'ratelimit-policy', `"${policy}";q=${quota}${window}`);
  append(reply, 'ratelimit', `"${policy}";r=${remaining}${reset}`);
}

function append(reply: FastifyReply, name: string, item: string): void {
  const before = reply.getHeader(name);
  reply.header(name, before === undefined ? item : `${before}, ${item}`);
}
