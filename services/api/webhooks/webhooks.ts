import { hash } from 'node:crypto';
import { type RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { type EventLog, feedEvent } from '#shared/tracking/event-log.ts';
import { type NewsLog, newsBody } from '#shared/webhooks/news-log.ts';
import type { TestEventOutcome, TestEventRequest } from '#shared/webhooks/webhook.ts';
import {
  type Attempt,
  failedTopic,
  nextTryOf,
  type SetBy,
  sentBy,
  setByOf,
  type Webhook,
} from '#shared/webhooks/webhook-model.ts';
import { newSecret } from '#shared/webhooks/webhook-secrets.ts';
import type { WebhookChange, WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { decodeCursor } from '../tracking/read-events.ts';
import { refuseCursor, refuseTypes, type WantedChange } from './webhook-request.ts';

export const MAX_PENDING = 1_000;
/** In seconds, after a test event of the account. */
const PROBE_PAUSE_S = 1;

type Deps = {
  webhooks: WebhookStore;
  newsLog: NewsLog;
  eventLog: EventLog;
  /** Lets each account send one test event at a time. */
  probeLimit: Pick<RateLimiterRedis, 'consume' | 'set'>;
  probe(request: TestEventRequest, requestId: string): Promise<TestEventOutcome>;
};

/** Begins with future events. @throws DomainError `too-many-webhooks`. */
export async function addWebhook(
  { webhooks, eventLog, newsLog }: Deps,
  { account, test, canaryOf }: Pick<ApiUser, 'account' | 'test' | 'canaryOf'>,
  { topics, ...wanted }: Pick<Webhook, 'url' | 'description' | 'types'> & { topics: string[] },
  setBy: SetBy,
): Promise<{ webhook: Webhook; secret: string }> {
  const secret = newSecret();
  const cursor = await eventLog.last(account);
  const news = await lastOf(newsLog, account, topics);
  const kind = { ...(test && { test }), ...(canaryOf !== undefined && { canaryOf }) };
  const asked = topics.length > 0 && { topics, news };
  const webhook = await webhooks.add({ account, ...wanted, ...asked, setBy, cursor, ...kind }, secret);
  if (!webhook) throw new DomainError('too-many-webhooks');
  return { webhook, secret };
}

/** Returns the number of the last entry of each topic. */
async function lastOf(log: NewsLog, account: string, topics: readonly string[]) {
  const last = topics.map(async (topic) => [topic, await log.last(topic, account)] as const);
  return Object.fromEntries(await Promise.all(last));
}

export async function listWebhooks({ webhooks, eventLog }: Deps, account: string) {
  const [own, last] = await Promise.all([webhooks.list(account), eventLog.last(account)]);
  return own.map((webhook) => viewOf(webhook, last));
}

/** Returns a webhook with its last tries, the newest first. @throws DomainError `webhook-not-found`. */
export async function readWebhook({ webhooks, eventLog }: Deps, account: string, id: string) {
  const [webhook, last] = await Promise.all([webhooks.find(account, id), eventLog.last(account)]);
  if (!webhook) throw new DomainError('webhook-not-found');
  return { ...viewOf(webhook, last), Intentos: (webhook.attempts ?? []).map(attemptView) };
}

/**
 * Changes what `wanted` has.
 * @param by who changes it.
 * @returns the webhook as its account sees it, and the change, which can be taken back.
 * @throws DomainError `webhook-not-found`.
 */
export async function changeWebhook(
  { webhooks, eventLog, newsLog }: Deps,
  account: string,
  id: string,
  { asked, types, ...wanted }: WantedChange,
  by: SetBy,
) {
  const last = await eventLog.last(account);
  const before = await webhooks.find(account, id);
  if (!before) throw new DomainError('webhook-not-found');
  const change = await webhooks.change(
    account,
    id,
    {
      ...wanted,
      ...typesOf(before, types, asked?.hasEvents),
      ...(asked && { topics: await lastOf(newsLog, account, asked.topics) }),
    },
    by,
  );
  if (!change) throw new DomainError('webhook-not-found');
  return { view: viewOf(change.after, last), change };
}

/**
 * Returns the types after a change. A webhook without events has none.
 * @param hasEvents whether the change asks for events; undefined if that stays.
 * @throws DomainError `fields-invalid` for types of a webhook without events.
 */
function typesOf(
  { types: former }: Webhook,
  types: WantedChange['types'],
  hasEvents: boolean | undefined,
): Pick<WebhookChange, 'types'> {
  const hadNone = former?.length === 0;
  if (hasEvents === false) return { types: [] };
  if (hadNone && hasEvents === undefined) return types === undefined || types === 'all' ? {} : refuseTypes();
  if (types !== undefined) return { types };
  return hadNone ? { types: 'all' } : {};
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
    const { failure: reason, ...outcome } = await probe({ account, webhook: id }, requestId);
    return outcomeView({ ...outcome, ...(reason !== undefined && { reason }) });
  } finally {
    await probeLimit.set(key, 1, PROBE_PAUSE_S);
  }
}

/** @returns the new secret. @throws DomainError `webhook-not-found`. */
export async function changeSecret({ webhooks }: Deps, account: string, id: string): Promise<string> {
  const secret = newSecret();
  const isOwn = (await webhooks.find(account, id)) !== undefined;
  if (!isOwn || !(await webhooks.secrets.add(id, secret))) throw new DomainError('webhook-not-found');
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

/**
 * Enables a webhook behind the message that its receiver does not take. Only a message that has failed is skipped, so a
 * repeated request skips no message that is sent for the first time.
 * @returns `view`: the webhook, with the events of that message, or the message itself if it is of a topic; `from` and `to`: their
 * first and last number in the log.
 * @throws DomainError `webhook-not-found`; `nothing-to-skip`.
 */
export async function skipMessage(deps: Deps, account: string, id: string) {
  const { webhooks, eventLog } = deps;
  for (;;) {
    const webhook = await webhooks.find(account, id);
    if (!webhook) throw new DomainError('webhook-not-found');
    const { cursor, through, failures, off } = webhook;
    const topic = failures === 0 ? failedTopic(webhook) : undefined;
    if (topic !== undefined) {
      const view = await skipNews(deps, webhook, topic);
      if (view) return view;
      continue; // it has been taken, tried or changed meanwhile
    }
    if (through === undefined || (failures === 0 && !off)) throw new DomainError('nothing-to-skip');
    const { entries } = await eventLog.page(account, cursor, through - cursor, through);
    const skipped = await webhooks.skip({ ...webhook, through });
    if (!skipped) continue; // it has been taken, tried or changed meanwhile
    const Saltados = sentBy(webhook, entries).map(feedEvent);
    const view = { ...viewOf(skipped, await eventLog.last(account)), Saltados };
    return { view, from: cursor + 1, to: through };
  }
}

/**
 * Skips the message of a topic that a webhook does not take.
 * @returns undefined if it has been taken or tried meanwhile. @throws DomainError `nothing-to-skip`.
 */
async function skipNews({ webhooks, eventLog, newsLog }: Deps, webhook: Webhook, topic: string) {
  const { account, news } = webhook;
  const failed = await newsLog.next(topic, account, news?.[topic] ?? 0);
  if (!failed) throw new DomainError('nothing-to-skip');
  const { number } = failed;
  const skipped = await webhooks.skipNews(webhook, topic, number);
  if (!skipped) return undefined;
  const last = await eventLog.last(account);
  const view = { ...viewOf(skipped, last), Saltados: [], MensajeSaltado: newsBody(topic, failed) };
  return { view, topic, from: number, to: number };
}

/** @throws DomainError `webhook-not-found`. */
export async function removeWebhook({ webhooks }: Deps, account: string, id: string): Promise<void> {
  if (!(await webhooks.remove(account, id))) throw new DomainError('webhook-not-found');
}

/** @param last number of the account's last event. */
function viewOf(webhook: Webhook, last: number) {
  const { lastSuccess, lastFailure, active } = webhook;
  const setBy = setByOf(webhook);
  return {
    Id: webhook.id,
    Url: webhook.url,
    Descripcion: webhook.description,
    Activo: active,
    Tipos: webhook.types ?? [],
    Temas: topicsOf(webhook),
    UrlPuestaPor: setBy ? { Usuario: setBy.username, Llave: setBy.key ?? null } : null,
    Pendientes: Math.min(MAX_PENDING, Math.max(0, last - webhook.cursor)),
    UltimoExito: lastSuccess?.toISOString() ?? null,
    UltimoFallo: lastFailure ? { Ocurrido: lastFailure.at.toISOString(), Motivo: lastFailure.reason } : null,
    ProximoIntento: nextTryOf(webhook)?.toISOString() ?? null,
  };
}

/** Returns what a webhook asks for, as its account names it. */
export function topicsOf({ types, topics = [] }: Pick<Webhook, 'types' | 'topics'>): string[] {
  return [...(types?.length === 0 ? [] : ['eventos']), ...topics];
}

function attemptView(attempt: Attempt) {
  return { Ocurrido: attempt.at.toISOString(), ...outcomeView(attempt) };
}

function outcomeView({ ms, status, reason }: Omit<Attempt, 'at'>) {
  return {
    Tomado: reason === undefined,
    Ms: ms,
    ...(status !== undefined && { Estatus: status }),
    ...(reason !== undefined && { Motivo: reason }),
  };
}
