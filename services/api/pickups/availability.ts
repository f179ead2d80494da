import { DomainError } from '#shared/errors/domain-error.ts';
import type { PickupCalendar } from '#shared/pickups/calendar-model.ts';
import { chunks } from '#shared/stores/chunks.ts';
import type { BranchesCaller, BranchesClient } from '../branches/branches-client.ts';
import { fieldError } from '../http/body.ts';
import type { CurrentCalendar } from './calendar/current-calendar.ts';
import { type PickupWindow, windowsFrom, windowsOn } from './calendar/windows.ts';
import type { PickupStore } from './pickup-store.ts';

/** `timeZone`: of branches that have none. */
type Deps = {
  branches: BranchesClient;
  calendar: CurrentCalendar;
  pickups: PickupStore;
  timeZone: string;
};
/** The branch that picks up at a postal code. */
export type PickupBranch = { branch: string; name: string; zone: string };
/** Why there are no windows. */
export type NoWindows = 'sin_recolecciones' | 'sin_cupo' | 'sin_dias';
export type Availability = PickupBranch & { windows: PickupWindow[]; none?: NoWindows };

/** How many windows are told, and how many days they are looked for. */
const MAX_WINDOWS = 10;
const DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/** Returns the branch that picks up at a postal code. @throws DomainError `postal-code-uncovered`; as `BranchesClient`. */
export async function branchAt(
  { branches, timeZone }: Pick<Deps, 'branches' | 'timeZone'>,
  postalCode: string,
  caller: BranchesCaller,
): Promise<PickupBranch> {
  const found = await branches.destination({ postalCode }, caller);
  if (!found) throw new DomainError('postal-code-uncovered', { params: { postalCode } });
  const { Codigo, Nombre, Zona = timeZone } = found.branch;
  return { branch: Codigo, name: Nombre, zone: Zona };
}

/** Returns the next windows at a postal code that have room, by the database's clock. @throws as `branchAt`. */
export async function availability(
  deps: Deps,
  postalCode: string,
  { test, ...caller }: BranchesCaller & { test: boolean },
): Promise<Availability> {
  const place = await branchAt(deps, postalCode, caller);
  const calendar = await deps.calendar.inForce();
  const now = (await deps.pickups.clock.now()).getTime();
  const all = windowsFrom(calendar, place, now, DAYS);
  const windows: PickupWindow[] = [];
  for (const some of chunks(all, MAX_WINDOWS)) {
    if (windows.length >= MAX_WINDOWS) break;
    // Pick-ups of test accounts take no place.
    const room = await Promise.all(some.map((window) => test || hasRoom(deps.pickups, window)));
    windows.push(...some.filter((_, i) => room[i]));
  }
  windows.splice(MAX_WINDOWS);
  const none = windows.length > 0 ? undefined : reasonOf(calendar, place.branch, all);
  return { ...place, windows, ...(none && { none }) };
}

/** Returns the window that a request names, and whether its time is over. @throws DomainError `window-unknown`. */
export async function windowNamed(
  deps: Pick<Deps, 'calendar' | 'pickups'>,
  place: PickupBranch,
  { Fecha, Desde, Hasta }: { Fecha: string; Desde: string; Hasta: string },
): Promise<{ window: PickupWindow; isClosed: boolean }> {
  const windows = windowsOn(await deps.calendar.inForce(), place, Fecha);
  const window = windows.find(({ from, to }) => from === Desde && to === Hasta);
  if (!window) throw fieldError('Ventana', 'window-unknown');
  const now = (await deps.pickups.clock.now()).getTime();
  // `disponibles` never offers one that is as far away.
  if (window.startsAt > now + DAYS * DAY_MS) throw fieldError('Ventana', 'window-unknown');
  return { window, isClosed: now >= window.closesAt };
}

async function hasRoom(pickups: PickupStore, window: PickupWindow): Promise<boolean> {
  const { capacity } = window;
  return capacity === undefined || (await pickups.placesTaken(window)).size < capacity;
}

function reasonOf({ rows }: PickupCalendar, branch: string, all: readonly PickupWindow[]): NoWindows {
  if (all.length > 0) return 'sin_cupo';
  return rows.some((row) => row.branch === branch) ? 'sin_dias' : 'sin_recolecciones';
}
