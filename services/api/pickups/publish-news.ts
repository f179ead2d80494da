import type { Static } from 'typebox';
import type { Logger } from '#shared/observability/logger.ts';
import type { Pickup } from '#shared/pickups/pickup-model.ts';
import type { Publish, Topic } from '../webhooks/news.ts';
import type { PickupStore } from './pickup-store.ts';
import { summaryOf } from './read-pickups.ts';
import type { PickupSummary } from './schemas.ts';

/** The topic by which webhooks ask for pick-ups, and the type of its messages. */
export const TOPIC = 'recolecciones';
const LIST = 'Recolecciones';

type Deps = {
  pickups: PickupStore;
  publish: Publish;
  log: Pick<Logger, 'info' | 'warn'>;
};

/** Publishes each change of a pick-up to webhooks. One may be published twice: `Version` says which it is. */
export class PickupNews implements Topic {
  readonly name = TOPIC;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Publishes what has changed. No request waits for it. */
  soon(pickup: Pickup): void {
    this.#publish(pickup).catch((err) =>
      this.#deps.log.warn({ err, pickup: pickup._id }, 'The news of a pick-up wait for the next sweep'),
    );
  }

  unpublished(): Promise<string[]> {
    return this.#deps.pickups.unpublished();
  }

  async publish(number: string): Promise<void> {
    const pickup = await this.#deps.pickups.find(number);
    if (pickup) await this.#publish(pickup);
  }

  async #publish(pickup: Pickup): Promise<void> {
    const { pickups, publish } = this.#deps;
    const { account, version, told = 0 } = pickup;
    const versions = Array.from({ length: version - told }, (_, i) => told + i + 1);
    await publish(
      TOPIC,
      account,
      LIST,
      versions.map((each) => asOf(pickup, each)),
    );
    await pickups.markPublished(pickup);
  }
}

/** Returns a pick-up as a list showed it in one of its versions: each change adds one entry to its history. */
function asOf(pickup: Pickup, version: number): Static<typeof PickupSummary> {
  const { reason: _, ...rest } = pickup;
  const { status = pickup.status, reason } = pickup.history[version - 1] ?? {};
  return summaryOf({ ...rest, status, version, ...(reason && { reason }) });
}
