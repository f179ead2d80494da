import type { Logger } from '#shared/observability/logger.ts';
import type { NewsLog } from '#shared/webhooks/news-log.ts';
import type { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { STORE_MS } from '../guides/attempts.ts';
import { Overdue } from '../guides/overdue.ts';

/** Pause before webhooks get what is new, in ms: many scanners' events go in one message, instead of one message each. */
export const COLLECTING_MS = 200;

/**
 * What webhooks may ask for beside events. What a room publishes is stored before, and says itself that it is not published
 * yet: so a sweep publishes what a process that died has left. Then it may be published twice.
 */
export type Topic = {
  /** By which webhooks ask for it, and the type of its messages. */
  name: string;
  /** Returns what of the room has something that is not published yet, the oldest first. */
  unpublished(): Promise<string[]>;
  /** Publishes what is not published of one of these, and notes that it is. */
  publish(id: string): Promise<void>;
};

/** @param list the field of the message's `data` that lists the entries. */
export type Publish = (
  topic: string,
  account: string,
  list: string,
  entries: readonly Record<string, unknown>[],
) => Promise<void>;

/** Returns what publishes something to an account, by a message to each webhook that asks for the topic. May be repeated. */
export function publisherOf(webhooks: WebhookStore, log: NewsLog): Publish {
  return async (topic, account, list, entries) => {
    const own = await webhooks.list(account);
    if (!own.some(({ topics = [] }) => topics.includes(topic))) return; // a webhook begins with what comes after it
    await log.append(topic, account, list, entries, AbortSignal.timeout(STORE_MS));
    await webhooks.wake(account, COLLECTING_MS);
  };
}

/** Publishes of all topics what was not published in time. */
export class NewsSweep {
  readonly #topics: readonly Topic[];
  readonly #overdue = new Map<Topic, Overdue>();

  /** @param topics may still get more. */
  constructor(topics: readonly Topic[]) {
    this.#topics = topics;
  }

  /** One topic does not wait for another. */
  async sweep(log: Pick<Logger, 'warn'>): Promise<void> {
    await Promise.all(this.#topics.map((topic) => this.#sweepOne(topic, log)));
  }

  async #sweepOne(topic: Topic, log: Pick<Logger, 'warn'>): Promise<void> {
    const overdue = this.#overdue.get(topic) ?? new Overdue();
    this.#overdue.set(topic, overdue);
    for (const id of overdue.among(await topic.unpublished())) {
      try {
        await topic.publish(id);
      } catch (err) {
        log.warn({ err, topic: topic.name, id }, 'What webhooks are told waits for the next sweep');
      }
    }
  }
}
