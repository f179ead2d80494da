import { CLOCKS_DIFFER } from '#shared/observability/thresholds.ts';
import { duration } from '#shared/pages/format.ts';
import { UnexpectedAnswer } from '../http/customer.ts';

/** A clock that answers name, and how far it is ahead of the canary's, in ms. */
export type Clock = { name: string; aheadMs: number };

/** Compares the clocks of the ways in and of the database with the canary's own. @throws UnexpectedAnswer where one is wrong */
export function requireSameTime(clocks: readonly Clock[]): void {
  const different = clocks.filter(({ aheadMs }) => Math.abs(aheadMs) > CLOCKS_DIFFER.ms);
  const [first] = different;
  if (!first) return;
  const difference = duration(Math.abs(first.aheadMs));
  // If all agree with each other, the canary's own clock is wrong.
  if (
    clocks.length > 1 &&
    clocks.every(({ aheadMs }) => Math.abs(aheadMs - first.aheadMs) < CLOCKS_DIFFER.ms)
  )
    throw new UnexpectedAnswer(`el reloj de canary difiere ${difference} de los demás`);
  const names = different.map(({ name }) => name).join(', ');
  throw new UnexpectedAnswer(
    `el reloj de ${names} ${first.aheadMs > 0 ? 'adelanta' : 'atrasa'} ${difference}`,
  );
}
