import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Connection,
  mongo,
  type QueryFilter,
  type UpdateQuery,
  type UpdateWithAggregationPipeline,
} from 'mongoose';
import { modelOf, type StoredModel } from './collection.ts';
import { DatabaseClock } from './database-clock.ts';
import { DUPLICATE_KEY } from './mongo.ts';
import { type SecretsDocument, WEBHOOK_SECRETS, WEBHOOKS, type Webhook } from './webhook-model.ts';

/** Most webhooks of an account (docs/contract.md "Webhooks"). */
export const MAX_WEBHOOKS = 5;
/** How long a secret signs after a change. */
const OLD_SECRET_MS = 86_400_000;
/** Most secrets that sign at once, so that a client that repeats a change after a lost answer breaks no receiver. */
const MAX_SECRETS = 4;
/** How long a process holds a webhook that it claimed. This is longer than a request of 16 s and its writes. */
const LEASE_MS = 30_000;
/** How often a sender looks at a webhook without news, in case a crash prevented its wake-up. */
const IDLE_MS = 60_000;
/** End of the lease of a free webhook. By every clock it is in the past. */
const FREE = new Date(0);
/** A webhook counts as behind if its next event is older. */
const BEHIND_MS = 600_000;
const AFTER = { returnDocument: 'after' } as const;

export type HeldWebhook = Webhook & { lease: string };

/** Selects the webhooks of customers, not those of test accounts. */
const REAL = { test: { $exists: false } };

/**
 * The webhooks, in MongoDB. The api registers them, `services/webhooks` moves their cursors. Every moment is of the
 * database's clock.
 */
export class WebhookStore {
  readonly clock: DatabaseClock;
  readonly #webhooks: StoredModel<Webhook>;
  readonly #secrets: StoredModel<SecretsDocument>;

  constructor(connection: Connection) {
    this.clock = new DatabaseClock(connection);
    this.#webhooks = modelOf(connection, WEBHOOKS);
    this.#secrets = modelOf(connection, WEBHOOK_SECRETS);
  }

  /** Returns an account's webhooks in the order of their creation. */
  list(account: string): Promise<Webhook[]> {
    return this.#webhooks.find(slotsOf(account)).sort({ createdAt: 1 }).lean().exec();
  }

  listAll(): Promise<Webhook[]> {
    return this.#webhooks.find().sort({ _id: 1 }).lean().exec();
  }

  async find(account: string, id: string): Promise<Webhook | undefined> {
    return (await this.#webhooks.findOne({ ...slotsOf(account), id }).lean()) ?? undefined;
  }

  /** Returns the secrets that sign now, the newest first; none if the webhook has just been removed. */
  async secretsOf({ id }: Pick<Webhook, 'id'>): Promise<string[]> {
    return (await this.#signing(id)).map(({ value }) => value);
  }

  async #signing(id: string): Promise<SecretsDocument['secrets']> {
    const [found, now] = await Promise.all([this.#secrets.findOne({ _id: id }).lean(), this.clock.now()]);
    return (found?.secrets ?? []).filter(({ until }) => !until || until > now);
  }

  /** Adds a webhook that begins after `cursor`. @returns undefined if the account has `MAX_WEBHOOKS` already. */
  async add(
    webhook: Pick<Webhook, 'account' | 'url' | 'description' | 'cursor' | 'test'>,
    secret: string,
  ): Promise<Webhook | undefined> {
    const id = randomUUID();
    const now = await this.clock.now();
    await this.#secrets.insertOne({ _id: id, secrets: [{ value: secret }] });
    for (const _id of slotsOf(webhook.account)._id.$in) {
      const added: Webhook = {
        ...webhook,
        _id,
        id,
        createdAt: now,
        active: true,
        dueAt: now,
        leaseUntil: FREE,
        failures: 0,
      };
      try {
        await this.#webhooks.insertOne(added);
        return added;
      } catch (error) {
        if (!(error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY)) throw error;
      }
    }
    await this.#secrets.deleteOne({ _id: id });
    return undefined;
  }

  /**
   * Adds a secret. The current secrets sign for 24 hours more, up to `MAX_SECRETS` in all.
   * @returns whether there is such a webhook.
   */
  async addSecret(account: string, id: string, secret: string): Promise<boolean> {
    for (;;) {
      const webhook = await this.find(account, id);
      const [newest, ...older] = webhook ? await this.#signing(id) : [];
      if (!newest) return false;
      const until = await this.clock.now(OLD_SECRET_MS);
      const secrets = [{ value: secret }, { ...newest, until }, ...older].slice(0, MAX_SECRETS);
      // The later of two simultaneous changes finds another newest secret, and tries again.
      const filter = { _id: id, 'secrets.0.value': newest.value };
      if ((await this.#secrets.updateOne(filter, { $set: { secrets } })).matchedCount === 1) return true;
    }
  }

  /**
   * Enables a webhook, from where it stopped or from `cursor`, and makes it due now. A lease stays, because its holder may
   * be posting. A second process beside the holder would send messages out of order.
   * @returns undefined if there is no such webhook.
   */
  async activate(account: string, id: string, cursor?: number): Promise<Webhook | undefined> {
    const change = [
      {
        $set: {
          active: true,
          dueAt: await this.clock.now(),
          failures: 0,
          // An account that keeps activating a failing webhook still has only five days.
          failingSince: { $cond: ['$active', '$failingSince', '$$REMOVE'] },
          ...(cursor !== undefined && { cursor, replays: { $add: [{ $ifNull: ['$replays', 0] }, 1] } }),
        },
      },
      { $unset: ['off', ...(cursor === undefined ? [] : ['through', 'waitingSince'])] },
    ];
    const options = { ...AFTER, updatePipeline: true };
    const found = await this.#webhooks.findOneAndUpdate({ ...slotsOf(account), id }, change, options).lean();
    return found ?? undefined;
  }

  /** @returns whether there was such a webhook. */
  async remove(account: string, id: string): Promise<boolean> {
    // DocumentDB's `deleteOne` finds nothing if another process changes the document at that moment.
    const { deletedCount } = await this.#webhooks.deleteMany({ ...slotsOf(account), id });
    if (deletedCount > 0) await this.#secrets.deleteMany({ _id: id });
    return deletedCount > 0;
  }

  /** Makes an account's webhooks due in `ms`, unless they wait for their next try. */
  async wake(account: string, ms: number): Promise<void> {
    const at = await this.clock.now(ms);
    const filter = { ...slotsOf(account), active: true, failures: 0 };
    await this.#webhooks.updateMany(filter, { $min: { dueAt: at } });
  }

  /**
   * Claims the webhook that has been due for longest.
   * @param except accounts to leave alone.
   * @returns undefined if no webhook is due.
   */
  async claim(except: readonly string[] = []): Promise<HeldWebhook | undefined> {
    const now = await this.clock.now();
    const until = new Date(now.getTime() + LEASE_MS);
    const filter = {
      active: true,
      dueAt: { $lte: now },
      leaseUntil: { $lte: now },
      ...(except.length > 0 && { account: { $nin: [...except] } }),
    };
    const change = { $set: { lease: randomUUID(), leaseUntil: until, dueAt: until } };
    const options = { ...AFTER, sort: { dueAt: 1 } } as const;
    const found = await this.#webhooks.findOneAndUpdate(filter, change, options).lean();
    return (found as HeldWebhook | null) ?? undefined;
  }

  /**
   * Stores which events the next message has, and prolongs the lease.
   * @param waitingSince when the first of them was registered.
   * @returns false if the lease is lost, or the account has moved the cursor.
   */
  async beginMessage(held: HeldWebhook, batchEnd: number, waitingSince: Date): Promise<boolean> {
    const leaseUntil = await this.clock.now(LEASE_MS);
    const dueAt = ifWoken('$dueAt', leaseUntil);
    return this.#change(held, [{ $set: { through: batchEnd, waitingSince, leaseUntil, dueAt } }]);
  }

  /** Moves the cursor past a delivered message. @returns as `beginMessage` does. */
  async moveCursor(held: HeldWebhook, batchEnd: number): Promise<boolean> {
    return this.#change(held, {
      $set: { cursor: batchEnd, failures: 0, lastSuccess: await this.clock.now() },
      $unset: { through: 1, waitingSince: 1, failingSince: 1 },
    });
  }

  /** Ends the lease, even if the cursor was moved. @param moreMs when the next event is due, if known. */
  async release({ _id, lease }: HeldWebhook, moreMs = IDLE_MS): Promise<void> {
    const next = await this.clock.now(moreMs);
    const dueAt = { $min: [next, ifWoken('$dueAt', next)] };
    const change = [{ $set: { leaseUntil: FREE, dueAt } }, { $unset: 'lease' }] as const;
    await this.#webhooks.updateOne({ _id, lease }, [...change], { updatePipeline: true });
  }

  /**
   * Ends the lease after a failed message, which is tried again in `pauseMs`. If the account has activated the webhook
   * meanwhile, stores nothing, and the next try is at once.
   * @param isReceivers whether the receiver is at fault. Only such failures count towards disabling the webhook.
   */
  async postpone(held: HeldWebhook, reason: string, pauseMs: number, isReceivers: boolean): Promise<void> {
    const at = await this.clock.now();
    const { failures, failingSince = at } = held;
    const change = {
      $set: {
        dueAt: new Date(at.getTime() + pauseMs),
        leaseUntil: FREE,
        lastFailure: { at, reason },
        failures: isReceivers ? failures + 1 : Math.max(1, failures),
        ...(isReceivers && { failingSince }),
      },
      $unset: { lease: 1 },
    } as const;
    if (!(await this.#change(held, change, { failures }))) await this.release(held);
  }

  /** Disables a webhook. @returns false if it was activated meanwhile, and only released. */
  async disable(held: HeldWebhook, reason: string): Promise<boolean> {
    const failure = { at: await this.clock.now(), reason };
    const change = {
      $set: { active: false, off: failure, lastFailure: failure, leaseUntil: FREE },
      $unset: { lease: 1 },
    } as const;
    const isDisabled = await this.#change(held, change, { failures: held.failures });
    if (!isDisabled) await this.release(held);
    return isDisabled;
  }

  /** Counts the webhooks whose next event has waited for ten minutes, or that no sender looked at for as long. */
  async countBehind(): Promise<number> {
    const late = { $lt: await this.clock.now(-BEHIND_MS) };
    return this.#webhooks.countDocuments({
      ...REAL,
      active: true,
      $or: [{ waitingSince: late }, { dueAt: late }],
    });
  }

  /** Counts the webhooks that were disabled in the last `ms`, and still are. */
  async countDisabled(ms: number): Promise<number> {
    return this.#webhooks.countDocuments({
      ...REAL,
      active: false,
      'off.at': { $gte: await this.clock.now(-ms) },
    });
  }

  /** Changes a webhook if it is still held, and its account has not moved the cursor since the claim. */
  async #change(
    { _id, lease, replays }: HeldWebhook,
    change: UpdateQuery<Webhook> | UpdateWithAggregationPipeline,
    also: QueryFilter<Webhook> = {},
  ): Promise<boolean> {
    const filter = { _id, lease, replays: replays ?? { $exists: false }, ...also };
    return (await this.#webhooks.updateOne(filter, change, { updatePipeline: true })).matchedCount === 1;
  }
}

/** Chooses a value of an update: `woken` if the held webhook was woken meanwhile. */
function ifWoken<T>(woken: string, other: T) {
  return { $cond: [{ $lt: ['$dueAt', '$leaseUntil'] }, woken, other] };
}

function slotsOf(account: string) {
  const numbers = Array.from({ length: MAX_WEBHOOKS }, (_, i) => i + 1);
  return { _id: { $in: numbers.map((number) => `${account} ${number}`) } };
}

/** Standard Webhooks 1.0.0: `whsec_`, and 24 to 64 bytes in base64. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
