import { hash } from 'node:crypto';
import { type RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { ApiUser } from '#shared/auth/user-store.ts';
import type { TestEventOutcome, TestEventRequest } from '#shared/contracts/webhook.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { EventLog } from '#shared/stores/event-log.ts';
import type { Webhook } from '#shared/stores/webhook-model.ts';
import { newSecret, type WebhookStore } from '#shared/stores/webhook-store.ts';
import { decodeCursor } from '../guides/events/read-events.ts';
import { refuseCursor } from './webhook-request.ts';

export const MAX_PENDING = 1_000;
/** In seconds, after a test event of the account. */
const PROBE_PAUSE_S = 1;

type Deps = {
  webhooks: WebhookStore;
  eventLog: EventLog;
  /** Lets each account send one test event at a time. */
  probeLimit: Pick<RateLimiterRedis, 'consume' | 'set'>;
  probe(request: TestEventRequest, requestId: string): Promise<TestEventOutcome>;
};

/** Begins with future events. @throws DomainError `too-many-webhooks`. */
export async function addWebhook(
  { webhooks, eventLog }: Deps,
  { account, test }: Pick<ApiUser, 'account' | 'test'>,
  { url, description }: { url: string; description: string },
): Promise<{ webhook: Webhook; secret: string }> {
  const secret = newSecret();
  const cursor = await eventLog.last(account);
  const webhook = await webhooks.add({ account, url, description, cursor, ...(test && { test }) }, secret);
  if (!webhook) throw new DomainError('too-many-webhooks');
  return { webhook, secret };
}

export async function listWebhooks({ webhooks, eventLog }: Deps, account: string) {
  const [own, last] = await Promise.all([webhooks.list(account), eventLog.last(account)]);
  return own.map((webhook) => viewOf(webhook, last));
}

/**
 * Sends a test event. The limit is the account's: one that registers and removes webhooks in a loop would otherwise
 * take all connections of the deliveries.
 * @throws DomainError `webhook-not-found`; `too-many-requests` while a test event runs, and for a second afterwards.
 */
export async function probeWebhook(
  { webhooks, probeLimit, probe }: Deps,
  account: string,
  id: string,
  requestId: string,
) {
  if (!(await webhooks.find(account, id))) throw new DomainError('webhook-not-found');
  const key = hash('sha256', account, 'base64url');
  await probeLimit.consume(key).catch((reason: unknown) => {
    if (!(reason instanceof RateLimiterRes)) throw reason;
    throw new DomainError('too-many-requests', { params: { seconds: PROBE_PAUSE_S } });
  });
  try {
    const { ms, status, failure } = await probe({ account, webhook: id }, requestId);
    return {
      Tomado: failure === undefined,
      Ms: ms,
      ...(status !== undefined && { Estatus: status }),
      ...(failure !== undefined && { Motivo: failure }),
    };
  } finally {
    await probeLimit.set(key, 1, PROBE_PAUSE_S);
  }
}

/** @returns the new secret. @throws DomainError `webhook-not-found`. */
export async function changeSecret({ webhooks }: Deps, account: string, id: string): Promise<string> {
  const secret = newSecret();
  if (!(await webhooks.addSecret(account, id, secret))) throw new DomainError('webhook-not-found');
  return secret;
}

/**
 * Enables a webhook from where it stopped, or from a cursor of the feed.
 * @throws DomainError `webhook-not-found`; `fields-invalid` for a cursor of another feed.
 */
export async function activateWebhook(
  { webhooks, eventLog }: Deps,
  account: string,
  id: string,
  cursor: string | undefined,
) {
  const last = await eventLog.last(account);
  const number = cursor === undefined ? undefined : (decodeCursor(cursor) ?? refuseCursor());
  if (number !== undefined && number > last) refuseCursor();
  const webhook = await webhooks.activate(account, id, number);
  if (!webhook) throw new DomainError('webhook-not-found');
  return viewOf(webhook, last);
}

/** @throws DomainError `webhook-not-found`. */
export async function removeWebhook({ webhooks }: Deps, account: string, id: string): Promise<void> {
  if (!(await webhooks.remove(account, id))) throw new DomainError('webhook-not-found');
}

/** @param last number of the account's last event. */
function viewOf(webhook: Webhook, last: number) {
  const { lastSuccess, lastFailure, active, failures, dueAt } = webhook;
  return {
    Id: webhook.id,
    Url: webhook.url,
    Descripcion: webhook.description,
    Activo: active,
    Pendientes: Math.min(MAX_PENDING, Math.max(0, last - webhook.cursor)),
    UltimoExito: lastSuccess?.toISOString() ?? null,
    UltimoFallo: lastFailure ? { Ocurrido: lastFailure.at.toISOString(), Motivo: lastFailure.reason } : null,
    ProximoIntento: active && failures > 0 ? dueAt.toISOString() : null,
  };
}
