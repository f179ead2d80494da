import { type Customer, Unmet } from '../http/customer.ts';
import { DEADLINE_MS } from './limits.ts';
import { Skipped } from './steps.ts';

/** Where guides go: a postal code with coverage, and the branch whose code it is. */
export type Place = { postalCode: string; branch: string };

/** Most branches whose postal codes are asked for. */
const MAX_ASKED = 20;
const UNCOVERED = 'sin_cobertura';

/** Finds where guides go, and finds another place once this one takes none. */
export class Places {
  known: Place | undefined;
  #wasKnown = false;
  /** There has been no place yet. That is no fault: no branches are loaded. */
  areMissing = false;

  /** Returns the first destination whose own postal code has coverage. @throws Unmet; Skipped where no branches are loaded yet */
  async find(customer: Customer): Promise<Place> {
    for (const place of (await listPlaces(customer)).slice(0, MAX_ASKED)) {
      if (!(await isCovered(customer, place))) continue;
      this.known = place;
      this.#wasKnown = true;
      this.areMissing = false;
      return place;
    }
    if (this.#wasKnown) throw new Unmet('ninguna sucursal recibe guías');
    this.areMissing = true;
    throw new Skipped();
  }

  /** @throws Unmet where a place is no destination any more. */
  async requireListed(customer: Customer, { branch }: Place): Promise<void> {
    const places = await listPlaces(customer);
    if (!places.some((each) => each.branch === branch)) this.#leave('falta la sucursal de destino');
  }

  /** @throws Unmet where a place has no coverage any more. */
  async requireCovered(customer: Customer, place: Place): Promise<void> {
    if (!(await isCovered(customer, place))) this.#leave('el código postal ya no tiene cobertura');
  }

  /** Looks for another place if a guide to this one was answered 400. @throws the error of that answer */
  afterRefusal(error: unknown): never {
    if (error instanceof Unmet && error.status === 400) this.known = undefined;
    throw error;
  }

  #leave(why: string): never {
    this.known = undefined;
    throw new Unmet(why);
  }
}

async function listPlaces(customer: Customer): Promise<Place[]> {
  const asked = { path: '/api/sucursales/destinos', deadlineMs: DEADLINE_MS.read };
  const { data } = await customer.read<{ Codigo: string; CodigoPostal: string }[]>(asked);
  return data.map(({ Codigo: branch, CodigoPostal: postalCode }) => ({ branch, postalCode }));
}

async function isCovered(customer: Customer, { postalCode }: Place): Promise<boolean> {
  const asked = { path: `/api/sucursales/cobertura/${postalCode}`, deadlineMs: DEADLINE_MS.read };
  try {
    const { data } = await customer.read<{ CodigoPostal: string }>(asked);
    return data.CodigoPostal === postalCode;
  } catch (error) {
    if (error instanceof Unmet && error.codigo === UNCOVERED) return false;
    throw error;
  }
}
