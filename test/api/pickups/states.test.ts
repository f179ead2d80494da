import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freePlaces } from '#services/api/pickups/places.ts';
import { type AwaitingScans, endByScans } from '#services/api/pickups/scans.ts';
import { judgeChange, PICKUP_STATES, type PickupState } from '#shared/pickups/pickup.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';

const ASKED = new Date('2026-11-30T12:00:00Z');
const minutes = (count: number) => new Date(ASKED.getTime() + count * 60_000);
const judged = (status: PickupState) => ({
  ...{ status, createdUtc: ASKED, endsAt: minutes(60), failed: minutes(5) },
});

describe('a change', () => {
  test.for<[PickupState, PickupState, 'new' | 'repeated' | 'refused']>([
    ['Solicitada', 'Programada', 'new'],
    ['Solicitada', 'Recolectada', 'new'],
    ['Programada', 'Solicitada', 'refused'],
    ['Programada', 'Fallida', 'new'],
    ['Programada', 'Cancelada', 'new'],
    ['Recolectada', 'Fallida', 'refused'],
    ['Cancelada', 'Recolectada', 'refused'],
    ['Fallida', 'Programada', 'refused'],
    ['Fallida', 'Cancelada', 'refused'],
  ])('of %s to %s is %s', ([status, to, verdict]) => {
    expect(judgeChange(judged(status), { to, occurred: minutes(9) }, minutes(9))).toBe(verdict);
  });

  test('to Recolectada counts after a failure only if it occurred before', () => {
    const judge = (at: number) =>
      judgeChange(judged('Fallida'), { to: 'Recolectada', occurred: minutes(at) }, minutes(9));
    expect([judge(4), judge(5), judge(6)]).toEqual(['new', 'new', 'refused']);
  });

  test('to Recolectada counts after a failure only if it arrives within 14 days after the window', () => {
    const until = minutes(60).getTime() + 14 * 24 * 3_600_000;
    const judge = (now: number) =>
      judgeChange(judged('Fallida'), { to: 'Recolectada', occurred: minutes(4) }, new Date(now));
    expect([judge(until), judge(until + 1)]).toEqual(['new', 'refused']);
  });

  test('of before the request is of another handover, but for clocks that differ', () => {
    const judge = (status: PickupState, at: number) =>
      judgeChange(judged(status), { to: 'Recolectada', occurred: minutes(at) }, minutes(9));
    expect([judge('Programada', -10), judge('Programada', -11)]).toEqual(['new', 'before']);
    expect([judge('Fallida', -10), judge('Fallida', -11)]).toEqual(['new', 'before']);
  });

  test('never leads out of Recolectada or Cancelada, and told again is repeated', () => {
    const anyState = fc.constantFrom(...PICKUP_STATES);
    fc.assert(
      fc.property(anyState, anyState, fc.integer(), (status, to, at) => {
        const verdict = judgeChange(
          judged(status),
          { to, occurred: minutes(Math.abs(at % 99)) },
          minutes(99),
        );
        if (status === to) expect(verdict).toBe('repeated');
        else if (status === 'Recolectada' || status === 'Cancelada') expect(verdict).toBe('refused');
      }),
    );
  });
});

describe('places', () => {
  test('are never more than are left, whatever is taken', () => {
    const taken = fc.uniqueArray(fc.integer({ min: 1, max: 30 }));
    fc.assert(
      fc.property(taken, fc.integer({ min: 0, max: 20 }), (numbers, capacity) => {
        const free = freePlaces(new Set(numbers), capacity);
        expect(free.length).toBe(Math.max(0, Math.min(capacity - numbers.length, capacity)));
        expect(free.filter((number) => numbers.includes(number) || number > capacity)).toEqual([]);
      }),
    );
  });

  test('of readers of older states are not taken twice, and never more than there are', () => {
    // Each reads, some go on later, each takes one that nobody else has by then, or reads again.
    const order = fc.array(fc.record({ reads: fc.boolean(), which: fc.nat(), who: fc.nat(5) }), {
      minLength: 20,
      maxLength: 200,
    });
    const before = fc.uniqueArray(fc.integer({ min: 1, max: 15 }));
    fc.assert(
      fc.property(order, before, fc.integer({ min: 0, max: 10 }), (steps, former, capacity) => {
        const taken = new Set(former);
        const seen = new Map<number, number[]>();
        for (const { reads, which, who } of steps) {
          const known = seen.get(who);
          if (reads || !known) seen.set(who, freePlaces(taken, capacity));
          else {
            const place = known[which % known.length];
            if (place !== undefined && !taken.has(place)) taken.add(place);
            seen.delete(who);
          }
          expect(taken.size).toBeLessThanOrEqual(Math.max(capacity, former.length));
        }
      }),
    );
  });
});

describe('scans', () => {
  const guides = ['1', '2', '3'];
  const open: AwaitingScans = { status: 'Programada', createdUtc: ASKED, guides };
  const scan = (Guia: string, at: number, more: Partial<EventBody> = {}) =>
    ({
      Guia,
      Tipo: 'Recolectado',
      Id: `${Guia}-${at}`,
      Ocurrido: minutes(at).toISOString(),
      ...more,
    }) as EventBody;
  const cancelled = (Guia: string) => scan(Guia, 9, { Tipo: 'Cancelacion', Id: `cancelacion:${Guia}` });

  test('of all guides end it, when the last one was picked up', () => {
    const end = endByScans(open, [scan('3', 7), scan('1', 5), scan('2', 6)]);
    expect(end).toEqual({ to: 'Recolectada', occurred: minutes(7) });
  });

  test('of some guides do not: the van comes for the others', () => {
    expect(endByScans(open, [scan('1', 5), scan('2', 6)])).toBeUndefined();
  });

  test('of all that are not cancelled end it', () => {
    const end = endByScans(open, [scan('1', 5), cancelled('2'), scan('3', 6)]);
    expect(end).toEqual({ to: 'Recolectada', occurred: minutes(6) });
  });

  test('are not needed once all guides are cancelled', () => {
    const end = endByScans(open, guides.map(cancelled));
    expect(end).toEqual({ to: 'Cancelada', reason: 'sin_guias', occurred: minutes(9) });
    expect(
      endByScans({ ...open, status: 'Fallida', failed: minutes(5) }, guides.map(cancelled)),
    ).toBeUndefined();
  });

  test('of before the request do not count, nor annulled ones, nor weighings', () => {
    const others = [scan('1', 5), scan('2', 6)];
    expect(endByScans(open, [...others, scan('3', -11)])).toBeUndefined();
    const annulment = scan('3', 8, { Tipo: 'Anulacion', Id: 'x', Anula: '3-7' });
    expect(endByScans(open, [...others, scan('3', 7), annulment])).toBeUndefined();
    expect(endByScans(open, [...others, scan('3', 7, { Tipo: 'Pesaje' })])).toBeUndefined();
  });

  test('of a guide that went another way count too: nothing of it waits', () => {
    const end = endByScans(open, [scan('1', 5), scan('2', 6), scan('3', 7, { Tipo: 'EnSucursal' })]);
    expect(end?.to).toBe('Recolectada');
  });

  test('of its manifest end it, whichever guides were missing, and those of another do not', () => {
    const pickup = { ...open, manifest: 'M1' };
    expect(endByScans(pickup, [scan('2', 4, { Manifiesto: 'M1' })])).toEqual({
      to: 'Recolectada',
      occurred: minutes(4),
    });
    expect(endByScans(pickup, [scan('2', 4, { Manifiesto: 'M2' })])).toBeUndefined();
  });

  test('after a failure count only if they occurred before it', () => {
    const failed = { ...open, status: 'Fallida' as const, failed: minutes(6) };
    expect(
      endByScans(
        failed,
        guides.map((guide) => scan(guide, 6)),
      )?.to,
    ).toBe('Recolectada');
    expect(
      endByScans(
        failed,
        guides.map((guide) => scan(guide, 7)),
      ),
    ).toBeUndefined();
  });

  test('are the same in any order', () => {
    const events = [scan('1', 5), scan('2', 6), cancelled('3'), scan('1', 3, { Tipo: 'Incidencia' })];
    fc.assert(
      fc.property(fc.shuffledSubarray(events, { minLength: events.length }), (shuffled) => {
        expect(endByScans(open, shuffled)).toEqual({ to: 'Recolectada', occurred: minutes(6) });
      }),
    );
  });
});
