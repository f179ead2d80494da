import type { Step, Way } from '#shared/canary/report.ts';
import { type Customer, UnexpectedAnswer } from '../http/customer.ts';
import type { Reader } from '../reading/reader.ts';
import type { Destinations } from './destinations.ts';
import { createGuide, type MadeGuide, newGuide, readGuide, repeatCreation } from './guides.ts';
import { type Form, printLabel, requireLabel } from './labels.ts';
import { type Made, makeSteps, Skipped } from './steps.ts';
import { DEADLINE_MS } from './time-limits.ts';

/**
 * `goodMs`: from the request of the guide to its label, if that could be read. `guide`: the one that was created. Without outcomes nothing
 * was tried: no branch takes guides yet, or the key is refused.
 */
export type Round = Made & { goodMs?: number; guide?: MadeGuide };

/** What a round must do to be good; `branch` only while it has no destination for its guide. */
export const MAIN_STEPS = [
  'create',
  'read',
  'repeat',
  'print',
  'read-label',
  'branch',
] as const satisfies Step[];

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
  destinations: Destinations,
  reader: Reader,
): Promise<Round> {
  const round: Omit<Round, keyof Made> = {};
  const made = await makeSteps(async (step) => {
    const destination = destinations.known ?? (await step('branch', () => destinations.find(customer)));
    const from = performance.now();
    const create = () =>
      createGuide(customer, newGuide(destination)).catch((error) => destinations.afterRefusal(error));
    const guide = await step('create', create);
    round.guide = guide;
    const print = async () => {
      await step('read', () => readGuide(customer, guide));
      await step('repeat', () => repeatCreation(customer, guide));
      const file = await step('print', () => printLabel(customer, FORMS[way], guide));
      await step('read-label', () => requireLabel(reader, FORMS[way], guide, file));
      round.goodMs = performance.now() - from;
    };
    await Promise.allSettled([
      print(),
      step('quote', () => requirePrice(customer, guide)),
      step('branch', () => destinations.requireListed(customer, destination)),
      step('postal-code', () => destinations.requireCovered(customer, destination)),
      ...(way === 'customers' ? [step('page', () => readTrackingPage(customer, guide))] : []),
    ]);
  });
  return { ...made, ...round };
}

/** @throws Skipped where the carrier has no price for the guide. */
async function requirePrice(customer: Customer, { body }: MadeGuide): Promise<void> {
  const request = { path: '/api/guias/cotizar', json: { Guia: [body] }, deadlineMs: DEADLINE_MS.read };
  const { data } = await customer
    .read<{ Opciones: { Total: number; Cotizacion: string }[] }[]>(request)
    .catch(skipping((error) => error.codigo === 'sin_tarifa' || error.codigo === 'medidas_excedidas'));
  if (!data[0]?.Opciones[0]?.Cotizacion) throw new UnexpectedAnswer('la respuesta no trae el precio');
}

/** @throws Skipped where others at the canary's address have looked up as many numbers as an address may. */
async function readTrackingPage(customer: Customer, { number }: MadeGuide): Promise<void> {
  const { body } = await customer
    .sendAnonymously({ path: `/rastreo/${number}`, deadlineMs: DEADLINE_MS.read })
    .catch(skipping((error) => error.status === 429));
  if (!body.includes(number)) throw new UnexpectedAnswer('la página no es la de la guía');
}

function skipping(doesNotApply: (error: UnexpectedAnswer) => boolean) {
  return (error: unknown): never => {
    throw error instanceof UnexpectedAnswer && doesNotApply(error) ? new Skipped() : error;
  };
}
