import { randomUUID } from 'node:crypto';
import type { Connection, QueryFilter, UpdateQuery, UpdateWithAggregationPipeline } from 'mongoose';
import { WEBHOOKS_BEHIND } from '../observability/thresholds.ts';
import { modelOf, type StoredModel } from '../stores/collection.ts';
import { DatabaseClock } from '../stores/database-clock.ts';
import { isDuplicateKey } from '../stores/mongo.ts';
import { type Attempt, type SetBy, setByOf, WEBHOOKS, type Webhook } from './webhook-model.ts';
import { type SecretKeys, WebhookSecrets } from './webhook-secrets.ts';

/** Most webhooks of an account. */
export const MAX_WEBHOOKS = 5;
/** Most tries of a webhook that are kept. */
export const MAX_ATTEMPTS = 10;
/** How long a process holds a webhook that it claimed, in ms: longer than a request of 16 s and its writes. */
const LEASE_MS = 30_000;
/** Pause after which a sender looks at a webhook without news, in ms. A crash may have prevented its wake-up. */
const IDLE_MS = 60_000;
/** End of the lease of a free webhook. By every clock it is in the past. */
const FREE = new Date(0);
const AFTER = { returnDocument: 'after' } as const;

export type HeldWebhook = Webhook & { lease: string };
export type FailedAttempt = Attempt & { reason: string };
/** `host`: the rest of an address may hold a customer's keys. `reason`: in words for the account; empty if unknown. */
export type LateWebhook = { account: string; host: string; forMs: number; reason: string };
/** `setBy`: absent if nobody knows who chose the address. */
type NewWebhook = Pick<
  Webhook,
  'account' | 'url' | 'description' | 'types' | 'cursor' | 'test' | 'canaryOf'
> & {
  setBy?: SetBy;
};
/** What an account may change of a webhook. Absent fields stay; empty `types` are all. */
export type WebhookChange = Partial<Pick<Webhook, 'url' | 'description' | 'active'>> & {
  types?: NonNullable<Webhook['types']>;
};
/** A change as it was stored. */
type ChangedWebhook = { before: Webhook; after: Webhook };

/** Selects webhooks of all accounts. Absent fields do not restrict. */
export type WebhookFilter = {
  ids?: readonly string[];
  account?: string | undefined;
  /** Who chose the address. */
  username?: string | undefined;
};

/** Selects documents without a field. */
const ABSENT = { $exists: false };
/** Selects the webhooks of customers, not those of test accounts. */
const REAL = { test: ABSENT };

/**
 * The webhooks, in MongoDB. The api registers them, `services/webhooks` moves their cursors. Every moment is of the
 * database's clock.
 */
export class WebhookStore {
  readonly clock: DatabaseClock;
  readonly secrets: WebhookSecrets;
  readonly #webhooks: StoredModel<Webhook>;

  constructor(connection: Connection, keys: SecretKeys = {}) {
    this.clock = new DatabaseClock(connection);
    this.secrets = new WebhookSecrets(connection, this.clock, keys);
    this.#webhooks = modelOf(connection, WEBHOOKS);
  }

  /** Returns an account's webhooks in the order of their creation. */
  list(account: string): Promise<Webhook[]> {
    return this.#webhooks.find(slotsOf(account)).sort({ createdAt: 1 }).lean().exec();
  }

  async listAll({ ids, account, username }: WebhookFilter = {}): Promise<Webhook[]> {
    const filter = {
      ...(ids && { id: { $in: [...ids] } }),
      ...(account !== undefined && slotsOf(account)),
      ...(username !== undefined && { 'setBy.username': username }),
    };
    const found = await this.#webhooks.find(filter).sort({ _id: 1 }).lean();
    return username === undefined ? found : found.filter(setByOf);
  }

  /**
   * Returns the webhooks whose address a user chose, or one key of the user, and those of the user's account of which nobody
   * knows who did.
   */
  async listSetBy({ username, key }: SetBy, account: string | undefined): Promise<Webhook[]> {
    const ofAccount = account === undefined ? [] : [slotsOf(account)];
    const found = await this.#webhooks
      .find({ $or: [{ 'setBy.username': username }, ...ofAccount] })
      .sort({ _id: 1 })
      .lean();
    return found.filter((webhook) => {
      const setBy = setByOf(webhook);
      if (!setBy) return webhook.account === account;
      return setBy.username === username && (key === undefined || setBy.key === key);
    });
  }

  /** Returns customers' webhooks that fail, are behind or were disabled by us, at most `limit`. */
  async listTroubled(limit: number): Promise<Webhook[]> {
    const late = { $lt: await this.clock.now(-WEBHOOKS_BEHIND.ageMs) };
    const troubled = [
      { active: true, failures: { $gt: 0 } },
      { active: true, waitingSince: late },
      { active: true, dueAt: late },
      { active: false, off: { $exists: true } },
    ];
    return this.#webhooks
      .find({ ...REAL, $or: troubled })
      .sort({ _id: 1 })
      .limit(limit)
      .lean();
  }

  async find(account: string, id: string): Promise<Webhook | undefined> {
    return (await this.#webhooks.findOne({ ...slotsOf(account), id }).lean()) ?? undefined;
  }

  /** Adds a webhook that begins after `cursor`. @returns undefined if the account has `MAX_WEBHOOKS` already. */
  async add({ setBy, ...webhook }: NewWebhook, secret: string): Promise<Webhook | undefined> {
    const id = randomUUID();
    const now = await this.clock.now();
    await this.secrets.insert(id, secret);
    for (const _id of slotsOf(webhook.account)._id.$in) {
      const added: Webhook = {
        ...webhook,
        ...(setBy && { setBy: { ...setBy, url: webhook.url } }),
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
        if (!isDuplicateKey(error)) throw error;
      }
    }
    await this.secrets.remove(id);
    return undefined;
  }

  /**
   * Changes a webhook. A message that is under way goes to the former address. Other types hold from the cursor on,
   * under new message ids: the current message is begun anew, whatever becomes of a try that is under way.
   * @param by who changes the webhook.
   * @returns undefined if there is no such webhook.
   */
  async change(
    account: string,
    id: string,
    wanted: WebhookChange,
    by: SetBy,
  ): Promise<ChangedWebhook | undefined> {
    for (;;) {
      const before = await this.find(account, id);
      if (!before) return undefined;
      const after = await this.#changeFound(before, wanted, by);
      if (after) return { before, after };
    }
  }

  /**
   * Takes a change of the address back, with what was changed beside it, unless somebody else has chosen an address since. A
   * further one of the same user goes too: whichever of two changes is taken back last, neither address stays.
   */
  async takeBack({ before, after }: ChangedWebhook): Promise<void> {
    const { url, description, active, types = [] } = before;
    const former = { url, description, active, types };
    for (;;) {
      const found = await this.find(after.account, after.id);
      if (!found || setByOf(found)?.username !== after.setBy?.username) return;
      if (await this.#changeFound(found, former, setByOf(before))) return;
    }
  }

  /** The later of two simultaneous changes finds another webhook, and is to be tried again: undefined. */
  async #changeFound(
    found: Webhook,
    wanted: WebhookChange,
    by: SetBy | undefined,
  ): Promise<Webhook | undefined> {
    const { account, id, url, description, active, replays = ABSENT } = found;
    const change = changeOf(found, wanted, by, await this.clock.now());
    const filter = { ...slotsOf(account), id, url, description, active, replays };
    return (await this.#webhooks.findOneAndUpdate(filter, change, AFTER).lean()) ?? undefined;
  }

  /**
   * Moves the cursor past the message that a webhook has begun, and enables the webhook. A try that is under way changes
   * nothing any more.
   * @returns undefined if the webhook has changed since it was read.
   */
  async skip(webhook: Webhook & Required<Pick<Webhook, 'through'>>): Promise<Webhook | undefined> {
    const { _id, id, cursor, through, failures, replays } = webhook;
    const dueAt = await this.clock.now();
    const change = {
      $set: { active: true, cursor: through, dueAt, failures: 0, replays: (replays ?? 0) + 1 },
      $unset: { through: 1, waitingSince: 1, failingSince: 1, off: 1 },
    } as const;
    const filter = { _id, id, cursor, through, failures, replays: replays ?? ABSENT };
    return (await this.#webhooks.findOneAndUpdate(filter, change, AFTER).lean()) ?? undefined;
  }

  /**
   * Enables a webhook, from where it stopped or from `cursor`, and makes it due now. A lease stays: its holder may be
   * posting, and a second process beside it would send messages out of order.
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
    if (deletedCount > 0) await this.secrets.remove(id);
    return deletedCount > 0;
  }

  /** Makes an account's webhooks due in `ms`, unless they wait for their next try. */
  async wake(account: string, ms: number): Promise<void> {
    const at = await this.clock.now(ms);
    const filter = { ...slotsOf(account), active: true, failures: 0 };
    await this.#webhooks.updateMany(filter, { $min: { dueAt: at } });
  }

  /**
   * Claims the webhook that has been due for longest, of customers or of the cell's canary: another cell's is out of reach.
   * @param except accounts to leave alone.
   * @returns undefined if no webhook is due.
   */
  async claim(cell: string, except: readonly string[] = []): Promise<HeldWebhook | undefined> {
    const now = await this.clock.now();
    const until = new Date(now.getTime() + LEASE_MS);
    const filter = {
      active: true,
      dueAt: { $lte: now },
      leaseUntil: { $lte: now },
      canaryOf: { $in: [null, cell] },
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
   * @param taken the try that delivered it; absent if there is nothing to send.
   * @returns false if the lease is lost, or the account has changed what comes next.
   */
  moveCursor(held: HeldWebhook, batchEnd: number, taken?: Attempt): Promise<boolean> {
    return this.#change(held, {
      $set: { cursor: batchEnd, failures: 0, ...(taken && { lastSuccess: taken.at }) },
      $unset: { through: 1, waitingSince: 1, failingSince: 1 },
      ...(taken && kept(taken)),
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
        failures: isReceivers ? failures + 1 : Math.max(1, failures),
        ...(isReceivers && { failingSince }),
      },
      $unset: { lease: 1 },
      ...kept(failed),
    } as const;
    if (!(await this.#change(held, change, { url, failures }))) await this.release(held);
  }

  /** Disables a webhook. @returns false if its account has activated or changed it meanwhile, and it is only released. */
  async disable(held: HeldWebhook, reason: string, failed: FailedAttempt): Promise<boolean> {
    const { url, failures } = held;
    const failure = { at: failed.at, reason };
    const change = {
      $set: { active: false, off: failure, lastFailure: failure, leaseUntil: FREE },
      $unset: { lease: 1 },
      ...kept(failed),
    } as const;
    const isDisabled = await this.#change(held, change, { url, failures, active: true });
    if (!isDisabled) await this.release(held);
    return isDisabled;
  }

  /** Counts the webhooks whose next event has waited for ten minutes, or that no sender looked at for as long. */
  async countBehind(): Promise<number> {
    const late = { $lt: await this.clock.now(-WEBHOOKS_BEHIND.ageMs) };
    return this.#webhooks.countDocuments({
      ...REAL,
      active: true,
      $or: [{ waitingSince: late }, { dueAt: late }],
    });
  }

  countActive(): Promise<number> {
    return this.#webhooks.countDocuments({ ...REAL, active: true }).exec();
  }

  /**
   * Returns the webhooks whose receiver has taken nothing since less than ten minutes ago, and was asked: their number, and
   * the one that has failed for longest.
   */
  async findFailing(): Promise<{ count: number; worst: LateWebhook } | undefined> {
    const filter = {
      ...REAL,
      active: true,
      failures: { $gt: 0 },
      failingSince: { $gte: await this.clock.now(-WEBHOOKS_BEHIND.ageMs) },
    };
    const [count, worst] = await Promise.all([
      this.#webhooks.countDocuments(filter),
      this.#webhooks.findOne(filter).sort({ failingSince: 1 }).lean(),
    ]);
    return worst?.failingSince && { count, worst: await this.#late(worst, worst.failingSince) };
  }

  /** Returns the webhook that is behind for longest. */
  async findBehind(): Promise<LateWebhook | undefined> {
    const filter = {
      ...REAL,
      active: true,
      waitingSince: { $lt: await this.clock.now(-WEBHOOKS_BEHIND.ageMs) },
    };
    const worst = await this.#webhooks.findOne(filter).sort({ waitingSince: 1 }).lean();
    return worst?.waitingSince && this.#late(worst, worst.waitingSince);
  }

  async #late({ account, url, lastFailure }: Webhook, since: Date): Promise<LateWebhook> {
    const forMs = (await this.clock.now()).getTime() - since.getTime();
    return { account, host: new URL(url).host, forMs, reason: lastFailure?.reason ?? '' };
  }

  /** Counts the webhooks that were disabled in the last `ms`, and still are. */
  async countDisabled(ms: number): Promise<number> {
    return this.#webhooks.countDocuments({
      ...REAL,
      active: false,
      'off.at': { $gte: await this.clock.now(-ms) },
    });
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

/**
 * Returns an account's change of a webhook as an update. What did not change has no effect.
 * @param by undefined if nobody knows: `setBy` then goes on to speak of the address before.
 */
function changeOf(
  found: Webhook,
  wanted: WebhookChange,
  by: SetBy | undefined,
  now: Date,
): UpdateQuery<Webhook> {
  const { url = found.url, description = found.description, active = found.active } = wanted;
  const types = wanted.types ?? found.types ?? [];
  const isElsewhere = url !== found.url;
  const isEnabled = active && !found.active;
  const hasOtherTypes = types.join() !== (found.types ?? []).join();
  return {
    $set: {
      ...{ url, description, active },
      ...(isElsewhere && by && { setBy: { ...by, url } }),
      ...(types.length > 0 && { types }),
      ...((isElsewhere || isEnabled || hasOtherTypes) && { dueAt: now, failures: 0 }),
      ...(hasOtherTypes && { replays: (found.replays ?? 0) + 1 }),
    },
    $unset: {
      ...(types.length === 0 && { types: 1 }),
      ...(hasOtherTypes && { through: 1, waitingSince: 1 }),
      // Another address has its own five days, as one that was off.
      ...((isElsewhere || isEnabled) && { failingSince: 1 }),
      ...(isEnabled && { off: 1 }),
    },
  };
}

/** The part of an update that keeps a try among the last ones. */
function kept(attempt: Attempt) {
  return { $push: { attempts: { $each: [attempt], $position: 0, $slice: MAX_ATTEMPTS } } };
}

/** Chooses a value of an update: `woken` if the held webhook was woken meanwhile. */
function ifWoken<T>(woken: string, other: T) {
  return { $cond: [{ $lt: ['$dueAt', '$leaseUntil'] }, woken, other] };
}

function slotsOf(account: string) {
  const numbers = Array.from({ length: MAX_WEBHOOKS }, (_, i) => i + 1);
  return { _id: { $in: numbers.map((number) => `${account} ${number}`) } };
}
