import type { RateLimiterRedis } from 'rate-limiter-flexible';
import type { TestEventOutcome, TestEventRequest } from '#shared/webhooks/webhook.ts';
import type { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import type { Accounts } from '../accounts/context.ts';
import type { Base } from '../http/room.ts';
import type { Tracking } from '../tracking/context.ts';

/** What webhooks provide. */
export type Webhooks = {
  webhooks: WebhookStore;
  /** Lets each account send one test event at a time; kept in Redis, by its clock. */
  probeLimit: RateLimiterRedis;
  /**
   * Has the webhooks service, which alone may reach the internet, send a test event.
   *
   * @throws DomainError `unavailable`; `webhook-not-found` if it was removed meanwhile; what undici throws.
   */
  probe(request: TestEventRequest, requestId: string): Promise<TestEventOutcome>;
};
export type WebhooksContext = Base & Accounts & Tracking & Webhooks;
