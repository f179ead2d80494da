import { randomInt } from 'node:crypto';
import { type Customer, Unmet } from '../http/customer.ts';
import { DEADLINE_MS } from './limits.ts';
import { Skipped } from './steps.ts';

/** Where guides go: a postal code with coverage, and the branch that delivers there, which is a destination. */
export type Place = { postalCode: string; branch: string };

const UNCOVERED = 'sin_cobertura';

/** Finds where guides go, and finds another place once this one takes none. */
export class Places {
  known: Place | undefined;
  #wasKnown = false;
  /** There has been no place yet. That is no fault: no branches are loaded. */
  areMissing = false;

  /** Returns any place: one of them may take no guides. @throws Unmet; Skipped where no branches are loaded yet */
  async find(customer: Customer): Promise<Place> {
    const branches = await listDestinations(customer);
    this.areMissing = branches.length === 0 && !this.#wasKnown;
    if (this.areMissing) throw new Skipped();
    if (branches.length === 0) throw new Unmet('ninguna sucursal recibe guías');
    const covered = (await listCovered(customer)).filter(({ branch }) => branches.includes(branch));
    const place = covered[randomInt(Math.max(1, covered.length))];
    if (!place) throw new Unmet('ningún código postal con cobertura tiene una sucursal que reciba guías');
    this.known = place;
    this.#wasKnown = true;
    return place;
  }

  /** @throws Unmet where a place is no destination any more. */
  async requireListed(customer: Customer, { branch }: Place): Promise<void> {
    if (!(await listDestinations(customer)).includes(branch)) this.#leave('falta la sucursal de destino');
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

/** Returns the codes of the branches that are destinations. */
async function listDestinations(customer: Customer): Promise<string[]> {
  const asked = { path: '/api/sucursales/destinos', deadlineMs: DEADLINE_MS.read };
  const { data } = await customer.read<{ Codigo: string }[]>(asked);
  return data.map(({ Codigo }) => Codigo);
}

/** Returns the first postal code of each range with coverage. */
async function listCovered(customer: Customer): Promise<Place[]> {
  const asked = { path: '/api/sucursales/cobertura', deadlineMs: DEADLINE_MS.read };
  const { data } = await customer.read<{ Desde: string; Sucursal: string }[]>(asked);
  return data.map(({ Desde: postalCode, Sucursal: branch }) => ({ branch, postalCode }));
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
