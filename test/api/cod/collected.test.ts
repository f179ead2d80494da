import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  differenceOf,
  isWithin,
  movementKey,
  movementsOf,
  openRanges,
  sumOf,
} from '#services/api/cod/collected.ts';
import type { Range } from '#shared/cod/ledger-model.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';

const TOLD = { Guia: '390458235877', Ocurrido: '2026-11-22T19:05:00.000Z' };
const delivered = (Id: string, Monto: number): EventBody => ({
  ...TOLD,
  ...{ Id, Tipo: 'Entregado', Cobrado: { Monto, Medio: 'efectivo' } },
});
const annulment = (Anula: string): EventBody => ({ ...TOLD, Id: `no-${Anula}`, Tipo: 'Anulacion', Anula });

test.for([
  ['Entregado', 450_50, 450_50, undefined],
  ['Entregado', 450_50, 0, 'sin_cobro'],
  ['Entregado', 450_50, 450_49, 'falta'],
  ['Entregado', 450_50, 450_51, 'sobra'],
  ['Entregado', 0, 1, 'sobra'],
  ['Entregado', 0, 0, undefined],
  ['EnReparto', 450_50, 0, undefined],
  ['EnReparto', 450_50, 200_00, undefined],
  ['EnReparto', 450_50, 450_51, 'sobra'],
  ['Devuelto', 450_50, 0, undefined],
  ['Devuelto', 450_50, 450_50, 'devuelta'],
  ['Devuelto', 0, 1, 'devuelta'],
] as const)('%s with %i to collect and %i collected differs by %s', ([status, amount, collected, kind]) => {
  expect(differenceOf({ status, amount, collected })).toBe(kind);
});

test('amounts of pesos are centavos, also those that binary fractions do not have', () => {
  const pesos = Array.from({ length: 5_000 }, (_, i) => (100_000 + i) / 100);
  const told = pesos.map((Monto, i) => delivered(`e${i}`, Monto));
  expect(sumOf(movementsOf(told))).toBe(5_000 * 100_000 + (4_999 * 5_000) / 2);
});

test('whatever the order of events, what is not annulled adds up, and each movement is there once', () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 5_000_000 }), { maxLength: 20 });
  fc.assert(
    fc.property(amounts, fc.infiniteStream(fc.boolean()), fc.infiniteStream(fc.nat()), (all, no, order) => {
      const events = all.map((centavos, i) => delivered(`e${i}`, centavos / 100));
      const annulled = all.map(() => no.next().value);
      const told = [...events, ...events.flatMap(({ Id }, i) => (annulled[i] ? [annulment(Id)] : []))];
      const mixed = told
        .map((event) => [order.next().value, event] as const)
        .toSorted(([one], [other]) => one - other)
        .map(([, event]) => event);
      const movements = movementsOf(mixed);
      expect(sumOf(movements)).toBe(all.reduce((sum, each, i) => sum + (annulled[i] ? 0 : each), 0));
      expect(new Set(movements.map(movementKey)).size).toBe(movements.length);
    }),
  );
});

test('open ranges have each number that no range has, and no other', () => {
  const range = fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.nat({ max: 10 }))
    .map(([from, more]): Range => [from, from + more]);
  fc.assert(
    fc.property(fc.array(range, { maxLength: 8 }), fc.nat({ max: 70 }), (taken, last) => {
      const open = openRanges(taken, last);
      for (let number = 1; number <= 80; number++) {
        expect(isWithin(open, number)).toBe(number <= last && !isWithin(taken, number));
      }
    }),
  );
});
