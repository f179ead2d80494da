import type { Static } from 'typebox';
import type { Logger } from '#shared/observability/logger.ts';
import type { Pickup } from '#shared/pickups/pickup-model.ts';
import { Overdue } from '../guides/overdue.ts';
import type { Webhooks } from '../webhooks/open.ts';
import type { PickupStore } from './pickup-store.ts';
import { summaryOf } from './read-pickups.ts';
import type { PickupSummary } from './schemas.ts';

/** The topic by which webhooks ask for pick-ups, and the type of its messages. */
export const TOPIC = 'recolecciones';
const LIST = 'Recolecciones';

type Deps = {
  pickups: PickupStore;
  tell: Webhooks['tell'];
  log: Pick<Logger, 'info' | 'warn'>;
};

/**
 * Tells webhooks of each change of a pick-up. A pick-up whose changes are not told yet says so itself, so that a sweep tells what a
 * process that died has left. Then a change may be told twice: `Version` says which it is.
 */
export class PickupNews {
  readonly #deps: Deps;
  readonly #overdue = new Overdue();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Tells what has changed. No request waits for it. */
  soon(pickup: Pickup): void {
    this.#tell(pickup).catch((err) =>
      this.#deps.log.warn({ err, pickup: pickup._id }, 'The news of a pick-up wait for the next sweep'),
    );
  }

  /** Tells what was not told in time. */
  async sweep(): Promise<void> {
    const { pickups } = this.#deps;
    for (const number of this.#overdue.among(await pickups.untold())) {
      const pickup = await pickups.find(number);
      if (pickup) await this.#tell(pickup);
    }
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
export function asOf(pickup: Pickup, version: number): Static<typeof PickupSummary> {
  const { reason: _, ...rest } = pickup;
  const { status = pickup.status, reason } = pickup.history[version - 1] ?? {};
  return summaryOf({ ...rest, status, version, ...(reason && { reason }) });
}
