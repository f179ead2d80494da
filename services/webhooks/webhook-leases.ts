import { randomUUID } from 'node:crypto';
import type { Connection, QueryFilter, UpdateQuery, UpdateWithAggregationPipeline } from 'mongoose';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { type Attempt, type NewsTries, WEBHOOKS, type Webhook } from '#shared/webhooks/webhook-model.ts';
import { ABSENT, FREE, MAX_ATTEMPTS, stillTries, withoutTries } from '#shared/webhooks/webhook-store.ts';

/** How long a process holds a webhook that it claimed, in ms: longer than a request of 16 s and its writes. */
const LEASE_MS = 30_000;
/** Pause after which a sender looks at a webhook without news, in ms. A crash may have prevented its wake-up. */
const IDLE_MS = 60_000;

export type HeldWebhook = Webhook & { lease: string };
/** `hasMore`: others may be due as well. */
export type Claim = { held: HeldWebhook[]; hasMore: boolean };
export type FailedAttempt = Attempt & { reason: string };
/** A message of a topic. `waitingSince`: when it was told. */
export type NewsMessage = { topic: string; waitingSince: Date };

/**
 * Claims webhooks that are due, and stores how far their messages are. Only the holder of a lease sends. Every moment is of the
 * database's clock.
 */
export class WebhookLeases {
  readonly clock: DatabaseClock;
  readonly #webhooks: StoredModel<Webhook>;

  constructor(connection: Connection) {
    this.clock = new DatabaseClock(connection);
    this.#webhooks = modelOf(connection, WEBHOOKS);
  }

  /**
   * Claims the webhooks that have been due for longest, of customers or of the cell's canary: another cell's is out of reach.
   * They share a lease, and their writes, because a claim of each would cost as much as the rest of its message.
   * Of an account it claims one: while one write locks two, a wake of both that locks them in another order is a deadlock.
   * @param except accounts to leave alone.
   */
  async claim(cell: string, limit: number, except: readonly string[] = []): Promise<Claim> {
    const now = await this.clock.now();
    const due = {
      active: true,
      dueAt: { $lte: now },
      leaseUntil: { $lte: now },
      canaryOf: { $in: [null, cell] },
      ...(except.length > 0 && { account: { $nin: [...except] } }),
    };
    const found = await this.#webhooks
      .find(due)
      .select<Pick<Webhook, '_id' | 'account'>>({ account: 1 })
      .sort({ dueAt: 1 })
      .limit(limit)
      .lean();
    const ids = [...Map.groupBy(found, ({ account }) => account).values()].flatMap(
      ([first]) => first?._id ?? [],
    );
    const hasMore = found.length === limit || ids.length < found.length;
    if (ids.length === 0) return { held: [], hasMore: false };
    const lease = randomUUID();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    const claimed = { _id: { $in: ids.sort() } };
    await this.#webhooks.updateMany(
      { ...due, ...claimed },
      { $set: { lease, leaseUntil, dueAt: leaseUntil } },
    );
    // Another process may have been quicker with some of them.
    const held = await this.#webhooks
      .find({ ...claimed, lease })
      .sort({ _id: 1 })
      .lean();
    return { held: held as HeldWebhook[], hasMore };
  }

  /**
   * Stores which events the next message has, and prolongs the lease.
   * @param waitingSince when the first of them was registered.
   * @returns false if the lease is lost, or the account has changed the webhook.
   */
  async beginMessage(held: HeldWebhook, batchEnd: number, waitingSince: Date): Promise<boolean> {
    const leaseUntil = await this.clock.now(LEASE_MS);
    const dueAt = ifWoken('$dueAt', leaseUntil);
    const change = [{ $set: { through: batchEnd, waitingSince, leaseUntil, dueAt } }];
    return this.#change(held, change, { url: held.url, active: true });
  }

  /**
   * Moves the cursor past a message.
   * @param taken the try that delivered it; absent if there is nothing to send, which is no success.
   * @returns false if the lease is lost, or the account has changed what comes next.
   */
  moveCursor(held: HeldWebhook, batchEnd: number, taken?: Attempt): Promise<boolean> {
    const { set, unset } = withoutTries(held);
    return this.#change(held, {
      $set: { cursor: batchEnd, failures: 0, ...set, ...(taken && { lastSuccess: taken.at }) },
      $unset: { through: 1, ...unset, ...(taken && { failingSince: 1 }) },
      ...(taken && withAttempt(taken)),
    });
  }

  /**
   * Prolongs the lease before a message of a topic, which is the same at every try: it has one entry.
   * @param waitingSince when that was told. @returns as `beginMessage` does.
   */
  async beginNews(held: HeldWebhook, waitingSince: Date): Promise<boolean> {
    const leaseUntil = await this.clock.now(LEASE_MS);
    const change = [{ $set: { waitingSince, leaseUntil, dueAt: ifWoken('$dueAt', leaseUntil) } }];
    return this.#change(held, change, { url: held.url, active: true });
  }

  /** Moves a topic past an entry that was taken. @returns as `moveCursor` does. */
  moveNews(held: HeldWebhook, topic: string, number: number, taken: Attempt): Promise<boolean> {
    const { set, unset } = withoutTries(held, topic);
    const change = {
      $set: { [`news.${topic}`]: number, lastSuccess: taken.at, ...set },
      $unset: { failingSince: 1, ...unset },
      ...withAttempt(taken),
    };
    return this.#change(held, change, { [`news.${topic}`]: held.news?.[topic] ?? ABSENT });
  }

  /**
   * Moves the cursor past the last message that there is, and ends the lease, in one write.
   * @param taken the try that delivered it.
   * @param moreMs when the next event is due, if known.
   * @returns as `moveCursor` does. The lease then goes on.
   */
  async finish(held: HeldWebhook, batchEnd: number, taken: Attempt, moreMs = IDLE_MS): Promise<boolean> {
    const attempts = { $concatArrays: [[taken], { $ifNull: ['$attempts', []] }] };
    const moved = {
      ...{ cursor: batchEnd, failures: 0, lastSuccess: taken.at },
      attempts: { $slice: [attempts, MAX_ATTEMPTS] },
    };
    return this.#change(held, [
      { $set: { ...moved, ...freed(await this.clock.now(moreMs)) } },
      { $unset: ['lease', 'through', 'waitingSince', 'failingSince'] },
    ]);
  }

  /** Ends the lease, even if the cursor was moved. @param moreMs when the next message is due, if known. */
  async release({ _id, lease }: HeldWebhook, moreMs = IDLE_MS): Promise<void> {
    const next = await this.clock.now(Math.min(moreMs, IDLE_MS));
    const change = [{ $set: freed(next) }, { $unset: 'lease' }] as const;
    await this.#webhooks.updateOne({ _id, lease }, [...change], { updatePipeline: true });
  }

  /**
   * Ends the lease after a failed message, which is tried again in `pauseMs`. If the account has activated or changed
   * the webhook meanwhile, nothing is stored, and the next try is at once.
   * @param isReceivers whether the receiver is at fault: only such failures count towards disabling the webhook.
   */
  async postpone(
    held: HeldWebhook,
    failed: FailedAttempt,
    pauseMs: number,
    isReceivers: boolean,
  ): Promise<void> {
    const { at, reason } = failed;
    const { url, failures, failingSince = at } = held;
    const change = {
      $set: {
        dueAt: new Date(at.getTime() + pauseMs),
        leaseUntil: FREE,
        lastFailure: { at, reason },
        failures: failuresAfter(failures, isReceivers),
        ...(isReceivers && { failingSince }),
      },
      $unset: { lease: 1 },
      ...withAttempt(failed),
    } as const;
    if (!(await this.#change(held, change, { url, failures }))) await this.release(held);
  }

  /**
   * Has the message of a topic tried again in `pauseMs`. The lease goes on: events and other topics do not wait for it.
   * @param isReceivers as `postpone` has it.
   * @returns the webhook as it is then; undefined if its account has activated or changed it meanwhile.
   */
  async postponeNews(
    held: HeldWebhook,
    news: NewsMessage,
    failed: FailedAttempt,
    pauseMs: number,
    isReceivers: boolean,
  ): Promise<HeldWebhook | undefined> {
    const { at, reason } = failed;
    const tries = triesAfter(held, news, at, pauseMs, isReceivers);
    const state = {
      lastFailure: { at, reason },
      ...(isReceivers && { failingSince: held.failingSince ?? at }),
    };
    const change = { $set: { [`newsTries.${news.topic}`]: tries, ...state }, ...withAttempt(failed) };
    const isStored = await this.#change(held, change, { url: held.url, ...stillTries(held, news.topic) });
    return isStored
      ? { ...held, ...state, newsTries: { ...held.newsTries, [news.topic]: tries } }
      : undefined;
  }

  /**
   * Disables a webhook.
   * @param news the message that failed; absent if it is one of events.
   * @returns false if its account has activated or changed it meanwhile, and it is only released.
   */
  async disable(
    held: HeldWebhook,
    reason: string,
    failed: FailedAttempt,
    news?: NewsMessage,
  ): Promise<boolean> {
    const { url, failures } = held;
    const failure = { at: failed.at, reason };
    // So that it can be skipped, and no other message.
    const counted = news
      ? { [`newsTries.${news.topic}`]: triesAfter(held, news, failed.at, 0, true) }
      : { failures: failures + 1 };
    const change = {
      $set: { active: false, off: failure, lastFailure: failure, leaseUntil: FREE, ...counted },
      $unset: { lease: 1 },
      ...withAttempt(failed),
    } as const;
    const also = news ? stillTries(held, news.topic) : { failures };
    const isDisabled = await this.#change(held, change, { url, active: true, ...also });
    if (!isDisabled) await this.release(held);
    return isDisabled;
  }

  /** Changes a webhook if it is still held, and its account has not changed what comes next since the claim. */
  async #change(
    { _id, lease, replays }: HeldWebhook,
    change: UpdateQuery<Webhook> | UpdateWithAggregationPipeline,
    also: QueryFilter<Webhook> = {},
  ): Promise<boolean> {
    const filter = { _id, lease, replays: replays ?? ABSENT, ...also };
    return (await this.#webhooks.updateOne(filter, change, { updatePipeline: true })).matchedCount === 1;
  }
}

function triesAfter(
  { newsTries }: HeldWebhook,
  { topic, waitingSince }: NewsMessage,
  at: Date,
  pauseMs: number,
  isReceivers: boolean,
): NewsTries {
  const { failures = 0 } = newsTries?.[topic] ?? {};
  const dueAt = new Date(at.getTime() + pauseMs);
  return { failures: failuresAfter(failures, isReceivers), failedAt: at, dueAt, waitingSince };
}

/** Returns how often a message has failed: more than never, also if that is not the receiver's fault. */
function failuresAfter(failures: number, isReceivers: boolean): number {
  return isReceivers ? failures + 1 : Math.max(1, failures);
}

/** The part of an update that keeps a try among the last ones. */
function withAttempt(attempt: Attempt) {
  return { $push: { attempts: { $each: [attempt], $position: 0, $slice: MAX_ATTEMPTS } } };
}

/** The part of an update that lets others claim a webhook: at `next`, or when it was woken. */
function freed(next: Date) {
  return { leaseUntil: FREE, dueAt: { $min: [next, ifWoken('$dueAt', next)] } };
}

/** Chooses a value of an update: `woken` if the held webhook was woken meanwhile. */
function ifWoken<T>(woken: string, other: T) {
  return { $cond: [{ $lt: ['$dueAt', '$leaseUntil'] }, woken, other] };
}
