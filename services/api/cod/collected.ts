import type { Collected, DifferenceKind } from '#shared/cod/collection-model.ts';
import type { Movement, Range } from '#shared/cod/ledger-model.ts';
import type { Guide } from '#shared/guides/guide.ts';
import { annulledBy, type EventBody } from '#shared/tracking/event-model.ts';
import { toCentavos } from '../platform/amounts.ts';

/** The rules of money, in integers of centavos (docs/contract.md "Cash on delivery"). */

/** Returns what is to be collected of a guide. */
export function amountOf({ Cobro }: Pick<Guide, 'Cobro'>): number {
  return Cobro ? toCentavos(Cobro.Monto) : 0;
}

/**
 * Returns the movements that a guide's events make: what each says was collected, and the same back for one that is annulled,
 * in whatever order they came.
 */
export function movementsOf(told: readonly EventBody[]): Movement[] {
  const annulled = annulledBy(told);
  return told.flatMap(({ Guia: guide, Id: event, Cobrado }) => {
    if (!Cobrado) return [];
    const movement = { guide, event, amount: toCentavos(Cobrado.Monto), means: Cobrado.Medio };
    return annulled.has(event) ? [movement, { ...movement, amount: -movement.amount }] : [movement];
  });
}

/** Names a movement: an event makes one of each sign at most. */
export function movementKey({ guide, event, amount }: Movement): string {
  return `${guide} ${event} ${Math.sign(amount)}`;
}

export function sumOf(movements: readonly Pick<Movement, 'amount'>[]): number {
  return movements.reduce((sum, { amount }) => sum + amount, 0);
}

/** Returns what should have been collected once the guide's way is over. */
export function dueOf({ status, amount }: Pick<Collected, 'status' | 'amount'>): number {
  return status === 'Devuelto' ? 0 : amount;
}

/**
 * Returns how what was collected differs from what should have been. While a package is on its way, less than all is no
 * difference.
 */
export function differenceOf({
  status,
  amount,
  collected,
}: Pick<Collected, 'status' | 'amount' | 'collected'>): DifferenceKind | undefined {
  if (status === 'Devuelto') return collected > 0 ? 'devuelta' : undefined;
  if (collected > amount) return 'sobra';
  if (status !== 'Entregado' || collected === amount) return undefined;
  return collected > 0 ? 'falta' : 'sin_cobro';
}

/** Returns whether a guide's events are of interest here: money was collected, or should have been by now. */
export function concernsMoney(guide: Guide, told: readonly EventBody[]): boolean {
  return told.some(
    ({ Tipo, Cobrado }) => Cobrado || (guide.Cobro && (Tipo === 'Entregado' || Tipo === 'Devuelto')),
  );
}

/** Returns the numbers up to `last` that none of the ranges has. */
export function openRanges(taken: readonly Range[], last: number): Range[] {
  const open: Range[] = [];
  let from = 1;
  for (const [first, end] of taken.toSorted(([one], [other]) => one - other)) {
    if (first > last) break;
    if (first > from) open.push([from, first - 1]);
    from = Math.max(from, end + 1);
  }
  if (from <= last) open.push([from, last]);
  return open;
}

export function isWithin(ranges: readonly Range[], number: number): boolean {
  return ranges.some(([from, to]) => from <= number && number <= to);
}
