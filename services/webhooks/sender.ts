import type { UserActions } from '#shared/actions/action-trouble.ts';
import { repeat } from '#shared/async/repeat.ts';
import type { AuditLog } from '#shared/audit/audit-log.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { AuditAction } from '#shared/rooms.ts';
import type { EventLog, FeedPage } from '#shared/tracking/event-log.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import type { News, NewsLog } from '#shared/webhooks/news-log.ts';
import { type Attempt, sentBy } from '#shared/webhooks/webhook-model.ts';
import type { WebhookSecrets } from '#shared/webhooks/webhook-secrets.ts';
import { eventsMessage, type Message, newsMessage } from './message.ts';
import type { WebhookMetrics } from './metrics.ts';
import { afterFailure } from './retries.ts';
import { Slots } from './slots.ts';
import type { Outcome, WebhookClient } from './webhook-client.ts';
import type { Claim, FailedAttempt, HeldWebhook, NewsMessage, WebhookLeases } from './webhook-leases.ts';

const MAX_MESSAGE_EVENTS = 100;
/** How long one webhook is served in a row while others are due. */
const MAX_TURN_MS = 5_000;
/** Most webhooks served at a time, in all and for one account. Each has a message in memory: of 30 kB as a rule, of 180 if all events have an adjustment. */
const SLOTS = { inAll: 200, ofOne: 10 };
/** Most webhooks that are claimed at a time. All of them then read their events, over the connections that the process has. */
const CLAIMED_AT_ONCE = 20;
/** Pause when no further webhook is due. What gets due meanwhile is claimed together. */
const IDLE_PAUSE_MS = 500;
const UNREAD = 'no se leen';
const WAITS_FOR_LEASE = 'A webhook waits for the end of its lease';
/** Pause before looking again for events that are too recent to be shown. */
const PENDING_PAUSE_MS = 1_000;

type Options = {
  /** Whose canary is sent to. */
  cell: string;
  leases: WebhookLeases;
  secrets: Pick<WebhookSecrets, 'ofEach'>;
  events: EventLog;
  news: NewsLog;
  client: WebhookClient;
  metrics: WebhookMetrics;
  actions: Pick<UserActions, 'count' | 'end'>;
  auditLog: Pick<AuditLog<AuditAction>, 'record'>;
  log: Pick<Logger, 'info' | 'warn'>;
};

/** A message, and what is stored around it. */
type Delivery = {
  message: Message;
  /** Of a topic; absent for events. */
  news?: NewsMessage;
  /** When each of its entries was registered, the first one first. */
  entries: readonly Pick<LogEntry, 'registered'>[];
  /** Prolongs the lease. @returns false if that is lost, or the account has changed the webhook. */
  begin(): Promise<boolean>;
  /** Stores that the message was taken. */
  taken(attempt: Attempt): Promise<Next>;
};
/** A message to send; the last one of the events that the webhook does not want; or when to look again, in ms, if known. */
type Found = Delivery | { unwantedTo: number } | { lookMs: number | undefined };
/** What signs the messages of the webhooks that were claimed together, as it was then. */
type Signing = ReturnType<WebhookSecrets['ofEach']>;

/**
 * What follows: the webhook as it is then, to send its next message; or when to look at it next, in ms, if known. After the
 * last message, and after a failure, the lease has ended.
 */
type Next = { webhook: HeldWebhook } | { lookMs: number | undefined } | 'released';
/** The account has changed the webhook, or another process holds it. */
const CHANGED = { lookMs: 0 };

/**
 * Sends events to webhooks that are due. The cursor alone determines what is sent, so a process that dies loses
 * nothing. Another process claims its webhooks when the leases end, and sends the same messages again.
 */
export class Sender {
  readonly #options: Options;
  readonly #end = new AbortController();
  readonly #slots = new Slots(SLOTS.inAll, SLOTS.ofOne);
  readonly #sending = new Set<Promise<void>>();
  #stopClaiming = async () => {};

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    this.#stopClaiming = repeat(() => this.#claimDue(), {
      pauseMs: IDLE_PAUSE_MS,
      log: new FailureLog(this.#options.log, {
        failed: 'Webhooks that are due cannot be read; they are sent later',
        recovered: 'Webhooks that are due can be read again',
      }),
    });
  }

  /** Claims no more webhooks, and resolves when the current messages are answered. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#stopClaiming();
    await Promise.all(this.#sending);
  }

  async #claimDue(): Promise<void> {
    while (!this.#end.signal.aborted) {
      if (this.#slots.free === 0) await Promise.race(this.#sending);
      const { held, hasMore } = await this.#claim();
      if (held.length > 0) this.#beginAll(held);
      if (!hasMore) return;
    }
  }

  /** Nothing is sent while nobody knows what is due. The first look afterwards ends that, even if nothing is due. */
  async #claim(): Promise<Claim> {
    const { actions, cell, leases } = this.#options;
    const limit = Math.min(CLAIMED_AT_ONCE, this.#slots.free);
    const began = performance.now();
    try {
      const claim = await leases.claim(cell, limit, this.#slots.fullAccounts());
      actions.end('webhook', UNREAD);
      return claim;
    } catch (error) {
      actions.count('webhook', 'failed', UNREAD, performance.now() - began);
      throw error;
    }
  }

  #beginAll(held: readonly HeldWebhook[]): void {
    const signing = this.#options.secrets.ofEach(held.map(({ id }) => id));
    signing.catch(() => {}); // each webhook with a message says so
    for (const webhook of held) this.#begin(webhook, signing);
  }

  #begin(held: HeldWebhook, signing: Signing): void {
    const began = performance.now();
    const sending = (this.#slots.run(held.account, () => this.#send(held, signing)) as Promise<void>)
      .catch((err) => {
        this.#count(held, 'failed', 'sin mandar', performance.now() - began);
        this.#options.log.warn({ err, webhook: held.id }, WAITS_FOR_LEASE);
      })
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Sends messages until nothing is left, one fails or the webhook's turn is over. */
  async #send(held: HeldWebhook, signing: Signing): Promise<void> {
    const turnEnds = performance.now() + MAX_TURN_MS;
    let webhook = held;
    while (performance.now() < turnEnds && !this.#end.signal.aborted) {
      const next = await this.#sendNext(webhook, signing);
      if (next === 'released') return;
      if ('lookMs' in next) return this.#release(webhook, next.lookMs);
      webhook = next.webhook;
    }
    await this.#release(webhook, 0);
  }

  /** Sends the next message, or moves the cursor past events that the webhook does not want. */
  async #sendNext(webhook: HeldWebhook, signing: Signing): Promise<Next> {
    const found = await this.#next(webhook);
    if ('message' in found) return this.#deliver(webhook, signing, found);
    if ('lookMs' in found) return found;
    const isStored = await this.#options.leases.moveCursor(webhook, found.unwantedTo);
    return isStored ? { webhook: moved(webhook, found.unwantedTo) } : CHANGED;
  }

  /** Finds what comes next. Events go first, then each topic whose message may be tried. */
  async #next(webhook: HeldWebhook): Promise<Found> {
    const { account, cursor, through: begunEnd } = webhook;
    const limit = begunEnd ? begunEnd - cursor : MAX_MESSAGE_EVENTS;
    const page = await this.#options.events.page(account, cursor, limit, begunEnd);
    const batchEnd = begunEnd ?? page.next;
    // Clocks may disagree on which events are shown. A message that was begun waits until all of its events are shown.
    const isReady = batchEnd > cursor && !(page.hasPending && begunEnd);
    if (!isReady) return this.#nextNews(webhook, nextLookMs(page));
    const entries = sentBy(webhook, page.entries);
    // No event has one of the types, or all events of a message that was begun have expired, as in test accounts.
    if (entries.length === 0) return { unwantedTo: batchEnd };
    // Of a message that was begun, events may have expired, and nothing was read past its end. News may follow the events.
    const isLast = !begunEnd && page.entries.length < limit && !webhook.topics;
    return this.#eventsDelivery(
      webhook,
      entries,
      batchEnd,
      isLast ? { lookMs: nextLookMs(page) } : undefined,
    );
  }

  /** Finds the next entry of a topic that the webhook wants. @param eventsMs when to look for events, in ms, if known. */
  async #nextNews(webhook: HeldWebhook, eventsMs: number | undefined): Promise<Found> {
    const { leases, news: log } = this.#options;
    const { account, topics = [], news = {}, newsTries = {} } = webhook;
    const now = await leases.clock.now();
    const looksMs = eventsMs === undefined ? [] : [eventsMs];
    for (const topic of topics) {
      const pauseMs = (newsTries[topic]?.dueAt.getTime() ?? 0) - now.getTime();
      if (pauseMs > 0) {
        looksMs.push(pauseMs);
        continue;
      }
      const entry = await log.next(topic, account, news[topic] ?? 0);
      if (entry) return this.#newsDelivery(webhook, topic, entry);
    }
    return { lookMs: looksMs.length > 0 ? Math.min(...looksMs) : undefined };
  }

  /** @param last if no message follows: when to look for the next event. */
  #eventsDelivery(
    webhook: HeldWebhook,
    entries: readonly LogEntry[],
    batchEnd: number,
    last: { lookMs: number | undefined } | undefined,
  ): Delivery {
    const { leases } = this.#options;
    return {
      message: eventsMessage(webhook, entries, batchEnd),
      entries,
      begin: () => leases.beginMessage(webhook, batchEnd, (entries[0] as LogEntry).registered),
      taken: async (attempt) => {
        const isStored = last
          ? await leases.finish(webhook, batchEnd, attempt, last.lookMs)
          : await leases.moveCursor(webhook, batchEnd, attempt);
        if (!isStored) return CHANGED;
        return last ? 'released' : { webhook: succeeded(moved(webhook, batchEnd)) };
      },
    };
  }

  #newsDelivery(webhook: HeldWebhook, topic: string, entry: News): Delivery {
    const { leases } = this.#options;
    const { number, at: waitingSince } = entry;
    return {
      message: newsMessage(webhook, topic, entry),
      news: { topic, waitingSince },
      entries: [{ registered: waitingSince }],
      begin: () => leases.beginNews(webhook, waitingSince),
      taken: async (attempt) => {
        if (!(await leases.moveNews(webhook, topic, number, attempt))) return CHANGED;
        return { webhook: succeeded(movedNews(webhook, topic, number)) };
      },
    };
  }

  /** Posts a message, and stores how that ended. */
  async #deliver(
    webhook: HeldWebhook,
    signing: Signing,
    { message, news, entries, begin, taken }: Delivery,
  ): Promise<Next> {
    const { leases, client, metrics } = this.#options;
    const { id, url, canaryOf } = webhook;
    if (!(await begin())) return CHANGED;
    const secrets = (await signing)(id); // after the begin, which shows that the webhook waits if they cannot be read
    if (secrets.length === 0) return CHANGED;
    const outcome = await client.post({ url, secrets, canaryOf }, message);
    const { ms, status, failure: reason } = outcome;
    const at = await leases.clock.now();
    if (!webhook.test) metrics.observe(outcome, entries, at);
    const attempt = { at, ms, ...(status !== undefined && { status }) };
    if (reason !== undefined) {
      const next = await this.#fail(webhook, news, outcome, { ...attempt, reason });
      // Other failures are the receiver's.
      if (outcome.mayBeOurs) this.#count(webhook, 'failed', 'sin salida a internet', ms);
      else this.#count(webhook, 'ok');
      return next;
    }
    const next = await taken(attempt);
    if (next !== CHANGED) this.#count(webhook, 'ok');
    return next;
  }

  /** Counts how a delivery ended, but the canary's, which would end the failure of a customer whose webhooks get nothing. */
  #count({ canaryOf }: HeldWebhook, outcome: 'ok' | 'failed', reason?: string, ms?: number): void {
    if (canaryOf === undefined) this.#options.actions.count('webhook', outcome, reason, ms);
  }

  /** What could not be released has been sent, and waits for the end of its lease. */
  async #release(webhook: HeldWebhook, lookMs: number | undefined): Promise<void> {
    const { log, leases } = this.#options;
    await leases
      .release(webhook, lookMs)
      .catch((err) => log.warn({ err, webhook: webhook.id }, WAITS_FOR_LEASE));
  }

  /** After a message of a topic that failed, events and other topics go on. */
  async #fail(
    webhook: HeldWebhook,
    news: NewsMessage | undefined,
    outcome: Outcome,
    attempt: FailedAttempt,
  ): Promise<Next> {
    const { leases, metrics, auditLog } = this.#options;
    this.#logFailure(webhook, attempt.reason);
    const failures = news ? (webhook.newsTries?.[news.topic]?.failures ?? 0) : webhook.failures;
    const consequence = afterFailure({ ...webhook, failures }, outcome, attempt.at);
    if ('pauseMs' in consequence) {
      const { pauseMs } = consequence;
      const isReceivers = !outcome.mayBeOurs;
      if (news) {
        const after = await leases.postponeNews(webhook, news, attempt, pauseMs, isReceivers);
        return after ? { webhook: after } : CHANGED;
      }
      await leases.postpone(webhook, attempt, pauseMs, isReceivers);
      return 'released';
    }
    if (!(await leases.disable(webhook, consequence.disableReason, attempt, news))) return 'released';
    if (!webhook.test) metrics.countDisabled();
    auditLog.record({
      action: 'webhook.off',
      actor: 'webhooks',
      account: webhook.account,
      subject: webhook.account,
      outcome: 'ok',
      details: { webhook: webhook.id, reason: consequence.disableReason },
    });
    return 'released';
  }

  /** Logs a reason once, until it changes. */
  #logFailure({ id, account, url, lastFailure, lastSuccess }: HeldWebhook, reason: string): void {
    const isKnown = lastFailure?.reason === reason && !(lastSuccess && lastSuccess > lastFailure.at);
    if (isKnown) return;
    const { host } = new URL(url); // the rest may hold secrets
    this.#options.log.warn({ webhook: id, account, host, reason }, 'A webhook does not take its messages');
  }
}

/** Returns a webhook whose cursor was moved. */
function moved(webhook: HeldWebhook, cursor: number): HeldWebhook {
  const { through: _, ...rest } = webhook;
  return { ...rest, cursor, failures: 0 };
}

/** Returns a webhook of which a topic was moved. */
function movedNews(webhook: HeldWebhook, topic: string, number: number): HeldWebhook {
  const { [topic]: _, ...newsTries } = webhook.newsTries ?? {};
  return { ...webhook, news: { ...webhook.news, [topic]: number }, newsTries };
}

/** Returns a webhook whose receiver has taken a message. */
function succeeded(webhook: HeldWebhook): HeldWebhook {
  const { failingSince: _, lastFailure: __, ...rest } = webhook;
  return rest;
}

/** Returns when to look next, in ms after the last event shown; undefined if unknown. */
function nextLookMs({ hasPending }: FeedPage): number | undefined {
  return hasPending ? PENDING_PAUSE_MS : undefined;
}
