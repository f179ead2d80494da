import { DomainError } from '#shared/errors/domain-error.ts';
import { isOpen, isTestPickup, judgeChange, type PickupChange } from '#shared/pickups/pickup.ts';
import type { Pickup } from '#shared/pickups/pickup-model.ts';
import type { Caller } from '../accounts/account-limits.ts';
import { Attempts } from '../guides/attempts.ts';
import { fieldError } from '../http/body.ts';
import { zonedTime } from '../platform/local-time.ts';
import { pickupNumbers } from './pickup-number.ts';
import type { PickupStore } from './pickup-store.ts';
import { localTimeIn } from './zones.ts';

/** A pick-up after a change, and what became of the change. */
export type Changed = { pickup: Pickup; verdict: ReturnType<typeof judgeChange> };

/** Returns when a pick-up failed; undefined if it has not. */
export function failedAt({ status, history }: Pick<Pickup, 'status' | 'history'>): Date | undefined {
  return status === 'Fallida' ? history.findLast((entry) => entry.status === 'Fallida')?.occurred : undefined;
}

/**
 * Changes a pick-up, if it may still change so. Whoever changes it at the same moment is asked again.
 *
 * @param by the user who changes it; absent for the service itself.
 * @throws DomainError `pickup-unknown` if the outcome stays unknown.
 */
export async function changePickup(
  pickups: PickupStore,
  found: Pickup,
  change: PickupChange,
  by?: string,
): Promise<Changed> {
  const attempts = new Attempts('pickup-unknown');
  for (let pickup = found; ; ) {
    const at = await pickups.clock.now();
    const judged = { ...pickup, endsAt: pickup.window.endsAt, failed: failedAt(pickup) };
    const verdict = judgeChange(judged, change, at);
    if (verdict !== 'new') return { pickup, verdict };
    const { to: status, occurred, reason } = change;
    const read = pickup;
    const changed = await attempts.untilAnswered(() =>
      pickups.update(read, {
        status,
        ...(reason !== undefined && { reason }),
        ...(by !== undefined && { changedBy: by }),
        entry: { status, ...(reason !== undefined && { reason }), occurred, at },
        ...(status === 'Programada' ? {} : { frees: status === 'Cancelada' ? 'place' : 'guides' }),
      }),
    );
    if (changed) return { pickup: changed, verdict };
    const current = await pickups.find(pickup._id);
    if (!current) throw new DomainError('pickup-not-found');
    // A majority of the servers does not have the newer version yet.
    if (current.version === pickup.version) await attempts.pause();
    pickup = current;
  }
}

/**
 * Cancels a pick-up of the user's account, until its cut-off, and again once its window is over. Repeated it changes nothing.
 *
 * @throws DomainError `pickup-not-found`, `pickup-past-cutoff`, `pickup-ended`; as `changePickup`.
 */
export async function cancelPickup(
  { pickups }: { pickups: PickupStore },
  number: string,
  { account, username }: Caller,
): Promise<Pickup> {
  const pickup = await findPickup({ pickups }, number, account);
  const now = await pickups.clock.now();
  const { closesAt, endsAt, zone } = pickup.window;
  if (now >= closesAt && now < endsAt && isOpen(pickup.status)) {
    const shown = (moment: Date) => zonedTime(localTimeIn(zone), moment.getTime());
    throw new DomainError('pickup-past-cutoff', {
      params: { closesAt: shown(closesAt), endsAt: shown(endsAt) },
    });
  }
  const change = { to: 'Cancelada', reason: 'cliente', occurred: now } as const;
  const { pickup: changed, verdict } = await changePickup(pickups, pickup, change, username);
  if (verdict === 'refused') throw endedError(changed);
  return changed;
}

/** Returns a pick-up of an account, or of any without one. @throws DomainError `pickup-not-found` */
export async function findPickup(
  { pickups }: { pickups: PickupStore },
  number: string,
  account?: string,
): Promise<Pickup> {
  const pickup = pickupNumbers.has(number) ? await pickups.find(number, account) : undefined;
  if (!pickup) throw new DomainError('pickup-not-found');
  return pickup;
}

/**
 * Returns the pick-up whose code a driver scanned, before anything is registered.
 *
 * @param account whose parcels were scanned with it.
 * @throws DomainError of the field `Recoleccion`: `field-type`, `pickup-not-found`, `pickup-is-test`.
 */
export async function findScannedPickup(
  pickups: PickupStore,
  number: string,
  account: string,
): Promise<Pickup> {
  const campo = 'Recoleccion';
  if (!pickupNumbers.has(number)) throw fieldError(campo, 'pickup-not-found');
  if (isTestPickup(number)) throw fieldError(campo, 'pickup-is-test');
  const pickup = await pickups.find(number, account);
  if (!pickup) throw fieldError(campo, 'pickup-not-found');
  return pickup;
}

function endedError({ status }: Pickup): DomainError {
  return new DomainError('pickup-ended', { params: { status } });
}
