import { randomUUID } from 'node:crypto';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { Pickup } from '#shared/pickups/pickup-model.ts';
import type { Caller } from '../accounts/account-limits.ts';
import type { OtherScenarios } from '../rehearsal/simulate-events.ts';
import type { EventRegister } from '../tracking/event-register.ts';
import { changePickup } from './change-pickup.ts';
import type { PickupStore } from './pickup-store.ts';
import type { PickupSettler } from './settle-pickups.ts';

/** Days of a pick-up that an integrator should have seen, the bad one too (docs/contract.md "Rehearsal"). */
export const SCENARIOS = ['recoleccion', 'recoleccion_fallida'] as const;

type Deps = {
  pickups: PickupStore;
  events: Pick<EventRegister, 'add'>;
  settler: Pick<PickupSettler, 'settle'>;
};

/** Returns the scenarios, for the room that plays them. */
export function pickupScenarios(deps: Deps): OtherScenarios {
  return { names: SCENARIOS, play: (name, guide, user) => play(deps, name, guide, user) };
}

/**
 * Plays what becomes of the open pick-up of a guide: the carrier schedules it, and the driver scans all of its guides, or came in
 * vain.
 *
 * @throws DomainError `guide-without-pickup`; as `changePickup`, and of the first event that is refused.
 */
async function play(deps: Deps, name: string, guide: string, user: Caller): Promise<void> {
  const { pickups } = deps;
  const number = (await pickups.holding([guide])).get(guide);
  const pickup = number === undefined ? undefined : await pickups.find(number, user.account);
  if (!pickup) throw new DomainError('guide-without-pickup');
  const told = { occurred: await pickups.clock.now() };
  const { pickup: scheduled } = await changePickup(pickups, pickup, { to: 'Programada', ...told });
  if (name === 'recoleccion_fallida') {
    await changePickup(pickups, scheduled, { to: 'Fallida', reason: 'nadie_atendio', ...told });
  } else await scanAll(deps, scheduled, user);
}

async function scanAll({ pickups, events, settler }: Deps, pickup: Pickup, { username, account }: Caller) {
  const { guides = [], branch } = pickup;
  const Ocurrido = (await pickups.clock.now()).toISOString();
  const scan = { Tipo: 'Recolectado', Sucursal: branch.code, Ocurrido } as const;
  const verdicts = await Promise.all(
    guides.map((Guia) => events.add(account, { ...scan, Guia, Id: randomUUID() }, username)),
  );
  // A guide that was cancelled stays so, and the driver does not wait for it.
  const refused = verdicts.find((each) => typeof each !== 'string' && each.code !== 'guide-cancelled');
  if (refused && typeof refused !== 'string') {
    const { campo, code, params = {} } = refused;
    throw new DomainError(code, { params: { ...params, campo }, problems: [refused] });
  }
  await settler.settle(account);
}
