import type { Connection } from 'mongoose';
import { WEBHOOKS_BEHIND } from '../observability/thresholds.ts';
import { modelOf, type StoredModel } from '../stores/collection.ts';
import { DatabaseClock } from '../stores/database-clock.ts';
import { WEBHOOKS, type Webhook } from './webhook-model.ts';
import { REAL } from './webhook-store.ts';

/** `host`: the rest of an address may hold a customer's keys. `reason`: in words for the account; empty if unknown. */
export type LateWebhook = { account: string; host: string; forMs: number; reason: string };

/** Counts customers' webhooks, for "Estado" and Prometheus. */
export class WebhookFigures {
  readonly #clock: DatabaseClock;
  readonly #webhooks: StoredModel<Webhook>;

  constructor(connection: Connection) {
    this.#clock = new DatabaseClock(connection);
    this.#webhooks = modelOf(connection, WEBHOOKS);
  }

  /** Counts the webhooks whose next event has waited for ten minutes, or that no sender looked at for as long. */
  async countBehind(): Promise<number> {
    const late = { $lt: await this.#clock.now(-WEBHOOKS_BEHIND.ageMs) };
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
      failingSince: { $gte: await this.#clock.now(-WEBHOOKS_BEHIND.ageMs) },
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
      waitingSince: { $lt: await this.#clock.now(-WEBHOOKS_BEHIND.ageMs) },
    };
    const worst = await this.#webhooks.findOne(filter).sort({ waitingSince: 1 }).lean();
    return worst?.waitingSince && this.#late(worst, worst.waitingSince);
  }

  async #late({ account, url, lastFailure }: Webhook, since: Date): Promise<LateWebhook> {
    const forMs = (await this.#clock.now()).getTime() - since.getTime();
    return { account, host: new URL(url).host, forMs, reason: lastFailure?.reason ?? '' };
  }

  /** Counts the webhooks that were disabled in the last `ms`, and still are. */
  async countDisabled(ms: number): Promise<number> {
    return this.#webhooks.countDocuments({
      ...REAL,
      active: false,
      'off.at': { $gte: await this.#clock.now(-ms) },
    });
  }
}
