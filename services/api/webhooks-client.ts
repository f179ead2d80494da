import { Pool } from 'undici';
import type { ProbeOutcome, ProbeRequest } from '#shared/contracts/webhook.ts';
import { callInternal } from './internal-call.ts';

/** Time limit of a call, in ms: longer than the 15 s that a receiver has. */
const TIMEOUT_MS = 18_000;
/** Most calls under way at a time, so that those who try webhooks that hang take few of this process's connections. */
const MAX_CALLS = 20;

/** Asks the webhooks service, which alone may reach the internet, to send messages that try a webhook. */
export class WebhooksClient {
  readonly #pool: Pool;
  readonly #token: string;

  constructor({ url, token }: { url: string; token: string }) {
    this.#token = token;
    this.#pool = new Pool(url, {
      connections: MAX_CALLS,
      connect: { timeout: 1_000 },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
  }

  /** @throws DomainError `unavailable`; what undici throws. */
  probe(request: ProbeRequest, requestId: string): Promise<ProbeOutcome> {
    return callInternal<ProbeOutcome>(this.#pool, {
      service: 'webhooks',
      token: this.#token,
      path: '/internal/probe',
      requestIds: [requestId],
      body: request,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
