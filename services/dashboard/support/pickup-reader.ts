import type { Connection } from 'mongoose';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { WriteMoment } from '#shared/pages/format.ts';
import { isTestPickup, PICKUP_NUMBER } from '#shared/pickups/pickup.ts';
import { PICKUPS, type Pickup } from '#shared/pickups/pickup-model.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { READ_MS } from './guide-reader.ts';

const FORM = new RegExp(PICKUP_NUMBER);
const SHOWN = [
  ...(['account', 'createdUtc', 'branch', 'window', 'packages', 'weight', 'guides', 'manifest'] as const),
  ...(['status', 'reason', 'history'] as const),
] as const;
/** Of other fields, such as the address, the database sends nothing, so no mistake of a page can show them. */
const PROJECTION = Object.fromEntries(SHOWN.map((field) => [field, 1]));
/** A pick-up without what says something of a person. */
export type VisiblePickup = Pick<Pickup, '_id' | (typeof SHOWN)[number]>;

/** Reads pick-ups of every account for those who support customers. */
export class PickupReader {
  readonly #pickups: StoredModel<Pickup>;

  constructor(connection: Connection) {
    this.#pickups = modelOf(connection, PICKUPS);
  }

  async find(number: string): Promise<VisiblePickup | undefined> {
    if (!FORM.test(number)) return undefined;
    const found = this.#pickups.findById(number).select<VisiblePickup>(PROJECTION).lean().exec();
    return (await withTimeout(READ_MS, 'Reading a pick-up', found)) ?? undefined;
  }
}

/** Returns what the page of a pick-up shows. */
export function pickupView(pickup: VisiblePickup, write: WriteMoment) {
  const { _id: number, account, window, branch, guides, manifest, status, reason, history } = pickup;
  return {
    number,
    account,
    isTest: isTestPickup(number),
    status,
    reason: reason ?? null,
    created: write(pickup.createdUtc),
    branch,
    window: `${window.date}, de ${window.from} a ${window.to} (${window.zone})`,
    closes: write(window.closesAt),
    packages: pickup.packages,
    weight: pickup.weight ?? null,
    manifest: manifest ?? null,
    guides: guides ?? [],
    history: history.map((entry) => ({
      status: entry.status,
      reason: entry.reason ?? null,
      occurred: write(entry.occurred),
      registered: write(entry.at),
    })),
  };
}
