import { createHash, createHmac, randomUUID } from 'node:crypto';
import { feedEvent } from '#shared/tracking/event-log.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { type News, newsBody } from '#shared/webhooks/news-log.ts';
import type { Webhook } from '#shared/webhooks/webhook-model.ts';

/** Every try of the same events makes the same message. */
export type Message = { id: string; body: string };

/** A replay gets another id, because receivers drop known ids (Standard Webhooks 1.0.0, "Idempotency"). */
export function eventsMessage(
  { id: webhook, cursor, replays }: Pick<Webhook, 'id' | 'cursor' | 'replays'>,
  entries: readonly LogEntry[],
  batchEnd: number,
): Message {
  const what = [webhook, cursor, batchEnd, ...(replays === undefined ? [] : [replays])].join(' ');
  const id = createHash('sha256').update(what).digest('base64url');
  const timestamp = entries.at(-1)?.registered.toISOString();
  const body = { type: 'guias.eventos', timestamp, data: { Eventos: entries.map(feedEvent) } };
  return { id: `msg_${id}`, body: JSON.stringify(body) };
}

/** A message of a topic has one entry, so that every try of it is the same. */
export function newsMessage({ id: webhook }: Pick<Webhook, 'id'>, topic: string, news: News): Message {
  const id = createHash('sha256').update([webhook, topic, news.number].join(' ')).digest('base64url');
  return { id: `msg_${id}`, body: JSON.stringify(newsBody(topic, news)) };
}

export function testEvent(now: Date): Message {
  const body = { type: 'prueba', timestamp: now.toISOString(), data: { Eventos: [] } };
  return { id: `msg_${randomUUID()}`, body: JSON.stringify(body) };
}

/**
 * Signs as Standard Webhooks 1.0.0 says (https://github.com/standard-webhooks/standard-webhooks).
 * @param secrets `whsec_` and base64. Each of them signs.
 */
export function signedHeaders(
  { id, body }: Message,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
