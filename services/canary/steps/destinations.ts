import { randomInt } from 'node:crypto';
import { type Customer, UnexpectedAnswer } from '../http/customer.ts';
import { Skipped } from './steps.ts';
import { DEADLINE_MS } from './time-limits.ts';

/** Where guides go: a postal code with coverage, and the branch that delivers there, which is a destination. */
export type Destination = { postalCode: string; branch: string };

const UNCOVERED = 'sin_cobertura';

/** Finds where guides go, and finds another destination once this one takes none. */
export class Destinations {
  known: Destination | undefined;
  #wasKnown = false;
  /** There has been no destination yet. That is no fault: no branches are loaded. */
  areMissing = false;

  /** Returns any destination: one of them may take no guides. @throws UnexpectedAnswer; Skipped where no branches are loaded yet */
  async find(customer: Customer): Promise<Destination> {
    const branches = await listDestinationBranches(customer);
    this.areMissing = branches.length === 0 && !this.#wasKnown;
    if (this.areMissing) throw new Skipped();
    if (branches.length === 0) throw new UnexpectedAnswer('ninguna sucursal recibe guías');
    const covered = (await listCovered(customer)).filter(({ branch }) => branches.includes(branch));
    const destination = covered[randomInt(Math.max(1, covered.length))];
    if (!destination)
      throw new UnexpectedAnswer('ningún código postal con cobertura tiene una sucursal que reciba guías');
    this.known = destination;
    this.#wasKnown = true;
    return destination;
  }

  /** @throws UnexpectedAnswer where the branch is no destination any more. */
  async requireListed(customer: Customer, { branch }: Destination): Promise<void> {
    if (!(await listDestinationBranches(customer)).includes(branch))
      this.#leave('falta la sucursal de destino');
  }

  /** @throws UnexpectedAnswer where a destination has no coverage any more. */
  async requireCovered(customer: Customer, destination: Destination): Promise<void> {
    if (!(await isCovered(customer, destination))) this.#leave('el código postal ya no tiene cobertura');
  }

  /** Looks for another destination if a guide to this one was answered 400. @throws the error of that answer */
  afterRefusal(error: unknown): never {
    if (error instanceof UnexpectedAnswer && error.status === 400) this.known = undefined;
    throw error;
  }

  #leave(why: string): never {
    this.known = undefined;
    throw new UnexpectedAnswer(why);
  }
}

/** Returns the codes of the branches that are destinations. */
async function listDestinationBranches(customer: Customer): Promise<string[]> {
  const request = { path: '/api/sucursales/destinos', deadlineMs: DEADLINE_MS.read };
  const { data } = await customer.read<{ Codigo: string }[]>(request);
  return data.map(({ Codigo }) => Codigo);
}

/** Returns the first postal code of each range with coverage. */
async function listCovered(customer: Customer): Promise<Destination[]> {
  const request = { path: '/api/sucursales/cobertura', deadlineMs: DEADLINE_MS.read };
  const { data } = await customer.read<{ Desde: string; Sucursal: string }[]>(request);
  return data.map(({ Desde: postalCode, Sucursal: branch }) => ({ branch, postalCode }));
}

async function isCovered(customer: Customer, { postalCode }: Destination): Promise<boolean> {
  const request = { path: `/api/sucursales/cobertura/${postalCode}`, deadlineMs: DEADLINE_MS.read };
  try {
    const { data } = await customer.read<{ CodigoPostal: string }>(request);
    return data.CodigoPostal === postalCode;
  } catch (error) {
    if (error instanceof UnexpectedAnswer && error.codigo === UNCOVERED) return false;
    throw error;
  }
}
