import { randomBytes, randomUUID } from 'node:crypto';
import { type Connection, mongo } from 'mongoose';
import { collectionOf, DUPLICATE_KEY } from './mongo.ts';

/** Most webhooks of an account (docs/contract.md "Webhooks"). */
export const MAX_WEBHOOKS = 5;
/** How long both secrets sign after a change, in ms. */
const BOTH_SECRETS_MS = 86_400_000;
/** How long a sender holds a webhook that it has claimed, in ms: longer than a request of 15 s and its writes. */
const LEASE_MS = 30_000;
/** Interval at which a webhook without news is looked at, in ms: a wake-up that a crash has cut costs no more. */
const IDLE_MS = 60_000;
/** Longest time that a trial message takes, in ms. */
const PROBE_MS = 20_000;
/** Pause between two trial messages to one webhook, in ms. */
const PROBE_PAUSE_MS = 1_000;
/** Age of a webhook's next event from which on the webhook is behind, in ms. */
const BEHIND_MS = 600_000;
const AFTER = { returnDocument: 'after' } as const;

/** Why the last message was not taken, in words for its account, and when. */
type Failure = { at: Date; reason: string };

/**
 * A webhook: a position in its account's log of events, and where to send what comes after. Nothing is stored for a
 * delivery.
 */
export type Webhook = {
  /**
   * The account, a blank, and a number from 1 to `MAX_WEBHOOKS`: bounds how many it has, whoever creates them at the same
   * moment. A unique index beside the `_id` would do too, but DocumentDB waits a second where two inserts meet in one.
   */
  _id: string;
  /** As its account knows it. It is never used again. */
  id: string;
  account: string;
  url: string;
  description: string;
  createdAt: Date;
  /** Sequence number of the last event that was taken. */
  cursor: number;
  /** Last event of the message that is sent now: every try of a message has the same events. */
  through?: number;
  /** When the first event of that message was registered. */
  waitingSince?: Date;
  active: boolean;
  /** When and why it was switched off. */
  off?: Failure;
  /** When it is looked at next. */
  dueAt: Date;
  /** Who holds it, until when: nobody else sends its messages. */
  lease?: string;
  leaseUntil: Date;
  /** Until when no trial message is sent. */
  probeUntil?: Date;
  /** Tries of this message that failed. */
  failures: number;
  failingSince?: Date;
  lastSuccess?: Date;
  lastFailure?: Failure;
};

/** What signs a webhook's messages, the newest first. An older one signs until `until`. */
export type Secrets = { value: string; until?: Date }[];
/** By the webhook's `id`, in a collection of their own: whoever may see webhooks need not be able to forge messages. */
type SecretsDocument = { _id: string; secrets: Secrets };

/** A webhook that this process holds. */
export type HeldWebhook = Webhook & { lease: string };

/** The webhooks, in MongoDB. The api registers them, `services/webhooks` moves their cursors. */
export class WebhookStore {
  readonly #webhooks: mongo.Collection<Webhook>;
  readonly #secrets: mongo.Collection<SecretsDocument>;

  constructor(connection: Connection) {
    this.#webhooks = collectionOf(connection, 'webhooks');
    this.#secrets = collectionOf(connection, 'webhookSecrets');
  }

  /** Creates the index of what is due. */
  async open(): Promise<void> {
    await this.#webhooks.createIndex({ active: 1, dueAt: 1 });
  }

  /** Returns the webhooks of an account in the order of their creation. */
  list(account: string): Promise<Webhook[]> {
    return this.#webhooks.find(placesOf(account)).sort({ createdAt: 1 }).toArray();
  }

  /** @returns undefined where the account has no such webhook. */
  async find(account: string, id: string): Promise<Webhook | undefined> {
    return (await this.#webhooks.findOne({ ...placesOf(account), id })) ?? undefined;
  }

  /** Returns what signs the messages of a webhook; nothing where it has just been removed. */
  async secretsOf({ id }: Webhook): Promise<Secrets> {
    return (await this.#secrets.findOne({ _id: id }))?.secrets ?? [];
  }

  /**
   * Adds a webhook that begins after `cursor`.
   *
   * @returns undefined where the account has `MAX_WEBHOOKS` already.
   */
  async add(
    webhook: Pick<Webhook, 'account' | 'url' | 'description' | 'cursor'>,
    secret: string,
  ): Promise<Webhook | undefined> {
    const id = randomUUID();
    await this.#secrets.insertOne({ _id: id, secrets: [{ value: secret }] });
    for (const _id of placesOf(webhook.account)._id.$in) {
      const now = new Date();
      const added: Webhook = {
        ...webhook,
        _id,
        id,
        createdAt: now,
        active: true,
        dueAt: now,
        leaseUntil: now,
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

  /** Gives a webhook another secret; the one before signs for 24 hours more. @returns whether there is such a webhook. */
  async addSecret(account: string, id: string, secret: string): Promise<boolean> {
    for (;;) {
      const webhook = await this.find(account, id);
      const [before] = webhook ? await this.secretsOf(webhook) : [];
      if (!before) return false;
      const until = new Date(Date.now() + BOTH_SECRETS_MS);
      const secrets = [{ value: secret }, { value: before.value, until }];
      const filter = { _id: id, 'secrets.0.value': before.value };
      if ((await this.#secrets.updateOne(filter, { $set: { secrets } })).matchedCount === 1) return true;
    }
  }

  /** Switches a webhook on, from where it stopped or from `cursor`. @returns it, undefined where there is none. */
  async activate(account: string, id: string, cursor?: number): Promise<Webhook | undefined> {
    const now = new Date();
    // Whoever sends a message now loses its lease, and leaves the cursor where it is.
    const change = {
      $set: {
        active: true,
        dueAt: now,
        leaseUntil: now,
        failures: 0,
        ...(cursor !== undefined && { cursor }),
      },
      $unset: {
        off: 1,
        failingSince: 1,
        lease: 1,
        ...(cursor !== undefined && ({ through: 1, waitingSince: 1 } as const)),
      },
    } as const;
    const found = await this.#webhooks.findOneAndUpdate({ ...placesOf(account), id }, change, AFTER);
    return found ?? undefined;
  }

  /** @returns whether there was such a webhook. */
  async remove(account: string, id: string): Promise<boolean> {
    const { deletedCount } = await this.#webhooks.deleteOne({ ...placesOf(account), id });
    if (deletedCount === 1) await this.#secrets.deleteOne({ _id: id });
    return deletedCount === 1;
  }

  /** Begins a trial message. @returns false where one is sent, or was sent in the last second. */
  async beginProbe({ _id }: Webhook): Promise<boolean> {
    const now = Date.now();
    const filter = { _id, $nor: [{ probeUntil: { $gt: new Date(now) } }] };
    const change = { $set: { probeUntil: new Date(now + PROBE_MS) } };
    return (await this.#webhooks.updateOne(filter, change)).matchedCount === 1;
  }

  async endProbe({ _id }: Webhook): Promise<void> {
    const probeUntil = new Date(Date.now() + PROBE_PAUSE_MS);
    await this.#webhooks.updateOne({ _id }, { $set: { probeUntil } });
  }

  /** Has an account's webhooks looked at from `at` on, unless they wait for their next try. */
  async wake(account: string, at: Date): Promise<void> {
    await this.#webhooks.updateMany(
      { ...placesOf(account), active: true, failures: 0 },
      { $min: { dueAt: at } },
    );
  }

  /** Claims the webhook that has been due for longest. @returns undefined where none is. */
  async claim(): Promise<HeldWebhook | undefined> {
    const now = Date.now();
    const filter = { active: true, dueAt: { $lte: new Date(now) }, leaseUntil: { $lte: new Date(now) } };
    const lease = { lease: randomUUID(), leaseUntil: new Date(now + LEASE_MS) };
    const change = { $set: { ...lease, dueAt: new Date(now + IDLE_MS) } };
    const found = await this.#webhooks.findOneAndUpdate(filter, change, { ...AFTER, sort: { dueAt: 1 } });
    return (found as HeldWebhook | null) ?? undefined;
  }

  /**
   * Notes which events the next message has, and holds the webhook on.
   *
   * @param waitingSince when the first of them was registered.
   * @returns whether the webhook is still held.
   */
  beginMessage(held: HeldWebhook, through: number, waitingSince: Date): Promise<boolean> {
    const leaseUntil = new Date(Date.now() + LEASE_MS);
    return this.#change(held, { $set: { through, waitingSince, leaseUntil } });
  }

  /** Moves the cursor past the message that was taken. @returns whether the webhook is still held. */
  moveCursor(held: HeldWebhook, through: number): Promise<boolean> {
    return this.#change(held, {
      $set: { cursor: through, failures: 0, lastSuccess: new Date() },
      $unset: { through: 1, waitingSince: 1, failingSince: 1 },
    });
  }

  /** Lets a webhook go. @param moreAt when it will have more to send, where that is known. */
  async release(held: HeldWebhook, moreAt?: Date): Promise<void> {
    await this.#change(held, {
      $set: { leaseUntil: new Date() },
      $unset: { lease: 1 },
      ...(moreAt && { $min: { dueAt: moreAt } }),
    });
  }

  /** Lets a webhook go whose message was not taken; it is tried again at `dueAt`. */
  async postpone(held: HeldWebhook, reason: string, dueAt: Date): Promise<void> {
    const at = new Date();
    await this.#change(held, {
      $set: {
        dueAt,
        leaseUntil: at,
        lastFailure: { at, reason },
        failingSince: held.failingSince ?? at,
      },
      $inc: { failures: 1 },
      $unset: { lease: 1 },
    });
  }

  /** Switches a webhook off. @returns whether it was still held. */
  switchOff(held: HeldWebhook, reason: string): Promise<boolean> {
    const failure = { at: new Date(), reason };
    return this.#change(held, {
      $set: { active: false, off: failure, lastFailure: failure, leaseUntil: failure.at },
      $unset: { lease: 1 },
    });
  }

  /** Counts the webhooks whose next event has waited for ten minutes, or that no sender came round to for as long. */
  countBehind(): Promise<number> {
    const late = { $lt: new Date(Date.now() - BEHIND_MS) };
    return this.#webhooks.countDocuments({ active: true, $or: [{ waitingSince: late }, { dueAt: late }] });
  }

  /** Counts the webhooks that were switched off since `from`, and are off. */
  countOff(from: Date): Promise<number> {
    return this.#webhooks.countDocuments({ active: false, 'off.at': { $gte: from } });
  }

  /** Changes a webhook that is still held. */
  async #change(held: HeldWebhook, change: mongo.UpdateFilter<Webhook>): Promise<boolean> {
    const { matchedCount } = await this.#webhooks.updateOne({ _id: held._id, lease: held.lease }, change);
    return matchedCount === 1;
  }
}

/** Selects the webhooks of an account. */
function placesOf(account: string) {
  const numbers = Array.from({ length: MAX_WEBHOOKS }, (_, i) => i + 1);
  return { _id: { $in: numbers.map((number) => `${account} ${number}`) } };
}

/** Makes a secret as Standard Webhooks 1.0.0 has it: `whsec_`, and 24 to 64 bytes in base64. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
