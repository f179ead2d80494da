import type { Step, Way } from '#shared/canary/report.ts';
import { type Customer, Unmet } from '../http/customer.ts';
import type { Reader } from '../reading/reader.ts';
import { createGuide, type MadeGuide, newGuide, readGuide, repeatCreation } from './guides.ts';
import { type Form, printLabel, requireLabel } from './labels.ts';
import { DEADLINE_MS } from './limits.ts';
import type { Places } from './places.ts';
import { type Made, makeSteps, Skipped } from './steps.ts';

/**
 * `goodMs`: from the request of the guide to its label, if that could be read. `guide`: the one that was created. Without outcomes nothing
 * was tried: no branch takes guides yet, or the key is refused.
 */
export type Round = Made & { goodMs?: number; guide?: MadeGuide };

/** What a round must do to be good; `branch` only while it has no place for its guide. */
export const MAIN_STEPS = ['create', 'read', 'repeat', 'print', 'label', 'branch'] as const satisfies Step[];

/** The label that a round prints: the letter for customers. A small one, for each process, costs a third of its time. */
const FORMS = {
  customers: { kind: 'letter', format: 'pdf' },
  process: { kind: 'small', format: 'pdf' },
} as const satisfies Record<Way, Form>;

/**
 * Does what a customer does: creates a guide, reads it, repeats the request, prints the label and reads the print. This ends at the first
 * step that fails. Beside it, asks for a price, the branches, a postal code and the guide's tracking page.
 */
export async function makeRound(
  customer: Customer,
  way: Way,
  places: Places,
  reader: Reader,
): Promise<Round> {
  const round: Omit<Round, keyof Made> = {};
  const made = await makeSteps(async (step) => {
    const place = places.known ?? (await step('branch', () => places.find(customer)));
    const from = performance.now();
    const create = () => createGuide(customer, newGuide(place)).catch((error) => places.afterRefusal(error));
    const guide = await step('create', create);
    round.guide = guide;
    const print = async () => {
      await step('read', () => readGuide(customer, guide));
      await step('repeat', () => repeatCreation(customer, guide));
      const file = await step('print', () => printLabel(customer, FORMS[way], guide));
      await step('label', () => requireLabel(reader, FORMS[way], guide, file));
      round.goodMs = performance.now() - from;
    };
    await Promise.allSettled([
      print(),
      step('quote', () => requirePrice(customer, guide)),
      step('branch', () => places.requireListed(customer, place)),
      step('postal-code', () => places.requireCovered(customer, place)),
      ...(way === 'customers' ? [step('page', () => readTrackingPage(customer, guide))] : []),
    ]);
  });
  return { ...made, ...round };
}

/** @throws Skipped where the carrier has no price for the guide. */
async function requirePrice(customer: Customer, { body }: MadeGuide): Promise<void> {
  const asked = { path: '/api/guias/cotizar', json: { Guia: [body] }, deadlineMs: DEADLINE_MS.read };
  const { data } = await customer
    .read<{ Opciones: { Total: number; Cotizacion: string }[] }[]>(asked)
    .catch(skipping((error) => error.codigo === 'sin_tarifa' || error.codigo === 'medidas_excedidas'));
  if (!data[0]?.Opciones[0]?.Cotizacion) throw new Unmet('la respuesta no trae el precio');
}

/** @throws Skipped where others at the canary's address have looked up as many numbers as an address may. */
async function readTrackingPage(customer: Customer, { number }: MadeGuide): Promise<void> {
  const { body } = await customer
    .askWithout({ path: `/rastreo/${number}`, deadlineMs: DEADLINE_MS.read })
    .catch(skipping((error) => error.status === 429));
  if (!body.includes(number)) throw new Unmet('la página no es la de la guía');
}

function skipping(doesNotApply: (error: Unmet) => boolean) {
  return (error: unknown): never => {
    throw error instanceof Unmet && doesNotApply(error) ? new Skipped() : error;
  };
}
