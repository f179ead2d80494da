import { randomUUID } from 'node:crypto';
import type { Connection, UpdateQuery } from 'mongoose';
import { WEBHOOKS_BEHIND } from '../observability/thresholds.ts';
import { modelOf, type StoredModel } from '../stores/collection.ts';
import { DatabaseClock } from '../stores/database-clock.ts';
import { isDuplicateKey } from '../stores/mongo.ts';
import { earliest, type SetBy, setByOf, WEBHOOKS, type Webhook } from './webhook-model.ts';
import { type SecretKeys, WebhookSecrets } from './webhook-secrets.ts';

/** Most webhooks of an account. */
export const MAX_WEBHOOKS = 5;
/** Most tries of a webhook that are kept. */
export const MAX_ATTEMPTS = 10;
/** End of the lease of a free webhook. By every clock it is in the past. */
export const FREE = new Date(0);
const AFTER = { returnDocument: 'after' } as const;

/** `setBy`: absent if nobody knows who chose the address. */
type NewWebhook = Pick<
  Webhook,
  'account' | 'url' | 'description' | 'types' | 'topics' | 'news' | 'cursor' | 'test' | 'canaryOf'
> & {
  setBy?: SetBy;
};
/**
 * What an account may change of a webhook. Absent fields stay. `types`: `all` events or none of them (empty). `topics`: all that are
 * sent beside events, with the number after which a new one begins.
 */
export type WebhookChange = Partial<Pick<Webhook, 'url' | 'description' | 'active'>> & {
  types?: 'all' | NonNullable<Webhook['types']>;
  topics?: Readonly<Record<string, number>>;
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
export const ABSENT = { $exists: false };
/** Selects the webhooks of customers, not those of test accounts. */
export const REAL = { test: ABSENT };

/**
 * The webhooks, in MongoDB, as their accounts register and change them. `services/webhooks` sends their messages. Every moment is
 * of the database's clock.
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
      { active: true, newsTries: { $exists: true } },
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
    const { url, description, active, types = 'all', topics = [], news } = before;
    const former: WebhookChange = {
      ...{ url, description, active, types },
      topics: Object.fromEntries(topics.map((topic) => [topic, news?.[topic] ?? 0])),
    };
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
    const { account, id, url, description, active, topics = ABSENT, replays = ABSENT } = found;
    const change = changeOf(found, wanted, by, await this.clock.now());
    const filter = { ...slotsOf(account), id, url, description, active, topics, replays };
    return (await this.#webhooks.findOneAndUpdate(filter, change, AFTER).lean()) ?? undefined;
  }

  /**
   * Moves a topic past its message that failed, and enables the webhook. A try that is under way changes nothing any more.
   * @returns undefined if that message was taken or tried since the webhook was read.
   */
  async skipNews(webhook: Webhook, topic: string, number: number): Promise<Webhook | undefined> {
    const { _id, id } = webhook;
    const dueAt = await this.clock.now();
    const { set, unset } = withoutTries(webhook, topic);
    const change = {
      $set: { active: true, [`news.${topic}`]: number, dueAt, ...set },
      $unset: { failingSince: 1, off: 1, ...unset },
    } as const;
    const filter = { _id, id, ...stillTries(webhook, topic) };
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
    const { set, unset } = withoutTries(webhook);
    const change = {
      $set: { active: true, cursor: through, dueAt, failures: 0, replays: (replays ?? 0) + 1, ...set },
      $unset: { through: 1, failingSince: 1, off: 1, ...unset },
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
      { $unset: ['off', 'newsTries', ...(cursor === undefined ? [] : ['through', 'waitingSince'])] },
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
  const types = wanted.types === 'all' ? undefined : (wanted.types ?? found.types);
  const isElsewhere = url !== found.url;
  const isEnabled = active && !found.active;
  const hasOtherTypes = String(types) !== String(found.types);
  const { topics } = wanted;
  const former = found.topics ?? [];
  const names = topics && Object.keys(topics);
  const asksOtherwise = hasOtherTypes || (names !== undefined && String(names) !== String(former));
  // Another address has its own five days, as one that was off, or that asks for something else.
  const startsAnew = isElsewhere || isEnabled || asksOtherwise;
  return {
    $set: {
      ...{ url, description, active },
      ...(isElsewhere && by && { setBy: { ...by, url } }),
      ...(types && { types }),
      ...(names && names.length > 0 && { topics: names }),
      // A topic that was sent before goes on from where it stands.
      ...(topics && begunAt(topics, former)),
      ...(startsAnew && { dueAt: now, failures: 0 }),
      ...(hasOtherTypes && { replays: (found.replays ?? 0) + 1 }),
    },
    $unset: {
      ...(!types && { types: 1 }),
      ...(names?.length === 0 && { topics: 1 }),
      ...(hasOtherTypes && { through: 1 }),
      ...(asksOtherwise && { waitingSince: 1 }), // perhaps for something that is not sent now
      ...(startsAnew && { failingSince: 1, newsTries: 1 }),
      ...(isEnabled && { off: 1 }),
    },
  };
}

/** The part of an update that has each new topic begin after its number. */
function begunAt(topics: Readonly<Record<string, number>>, former: readonly string[]) {
  const begun = Object.entries(topics).filter(([topic]) => !former.includes(topic));
  return Object.fromEntries(begun.map(([topic, number]) => [`news.${topic}`, number]));
}

/**
 * The parts of an update by which a message is no longer waited for: of a topic, or of events. Other topics' messages that failed
 * wait on.
 */
export function withoutTries({ newsTries = {} }: Webhook, topic?: string) {
  const others = Object.entries(newsTries).filter(([name]) => name !== topic);
  const waitingSince = earliest(others.map(([, tries]) => tries.waitingSince));
  const tries = topic && (others.length > 0 ? `newsTries.${topic}` : 'newsTries');
  return {
    set: waitingSince ? { waitingSince } : {},
    unset: { ...(!waitingSince && { waitingSince: 1 }), ...(tries && { [tries]: 1 }) } as Record<string, 1>,
  };
}

/** Selects a webhook while a topic's message and its failed tries are those of `webhook`. */
export function stillTries({ news, newsTries }: Webhook, topic: string) {
  return {
    topics: topic,
    [`news.${topic}`]: news?.[topic] ?? ABSENT,
    [`newsTries.${topic}.failures`]: newsTries?.[topic]?.failures ?? ABSENT,
  };
}

function slotsOf(account: string) {
  const numbers = Array.from({ length: MAX_WEBHOOKS }, (_, i) => i + 1);
  return { _id: { $in: numbers.map((number) => `${account} ${number}`) } };
}
