import type { Static } from 'typebox';
import type { Logger } from '#shared/observability/logger.ts';
import type { Pickup } from '#shared/pickups/pickup-model.ts';
import type { Tell, Topic } from '../webhooks/news.ts';
import type { PickupStore } from './pickup-store.ts';
import { summaryOf } from './read-pickups.ts';
import type { PickupSummary } from './schemas.ts';

/** The topic by which webhooks ask for pick-ups, and the type of its messages. */
export const TOPIC = 'recolecciones';
const LIST = 'Recolecciones';

type Deps = {
  pickups: PickupStore;
  tell: Tell;
  log: Pick<Logger, 'info' | 'warn'>;
};

/** Tells webhooks of each change of a pick-up. One may be told twice: `Version` says which it is. */
export class PickupNews implements Topic {
  readonly name = TOPIC;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Tells what has changed. No request waits for it. */
  soon(pickup: Pickup): void {
    this.#tell(pickup).catch((err) =>
      this.#deps.log.warn({ err, pickup: pickup._id }, 'The news of a pick-up wait for the next sweep'),
    );
  }

  untold(): Promise<string[]> {
    return this.#deps.pickups.untold();
  }

  async tell(number: string): Promise<void> {
    const pickup = await this.#deps.pickups.find(number);
    if (pickup) await this.#tell(pickup);
  }

  async #tell(pickup: Pickup): Promise<void> {
    const { pickups, tell } = this.#deps;
    const { account, version, told = 0 } = pickup;
    const versions = Array.from({ length: version - told }, (_, i) => told + i + 1);
    await tell(
      TOPIC,
      account,
      LIST,
      versions.map((each) => asOf(pickup, each)),
    );
    await pickups.markTold(pickup);
  }
}

/** Returns a pick-up as a list showed it in one of its versions: each change adds one entry to its history. */
function asOf(pickup: Pickup, version: number): Static<typeof PickupSummary> {
  const { reason: _, ...rest } = pickup;
  const { status = pickup.status, reason } = pickup.history[version - 1] ?? {};
  return summaryOf({ ...rest, status, version, ...(reason && { reason }) });
}
