import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Fact, GuideProgress } from '#services/api/tracking/guide-state.ts';
import { EVENT_TYPE_NAMES, type EventType, STATE_EVENTS } from '#shared/guides/event-types.ts';

/** SEND_ESTATUS of a guide. */
const guideState = (events: Iterable<Fact>, packages: number) => new GuideProgress(events, packages).status;

it('depends on the order of the types, of which a later one counts at the same moment', () => {
  const message = 'another order gives stored guides another SEND_ESTATUS';
  const order = 'Recolectado EnTransito EnSucursal EnReparto Entregado Incidencia Devuelto';
  expect(Object.keys(STATE_EVENTS).join(' '), message).toBe(order);
});

let made = 0;
/** An event at a minute of a day. */
const at = (minute: number, Tipo: EventType | 'Cancelacion', more: Partial<Fact> = {}): Fact => ({
  Id: `e${made++}`,
  Tipo,
  Ocurrido: new Date(Date.UTC(2026, 10, 21, 0, minute)).toISOString(),
  ...more,
});

it.for<[string, Fact[], number, string]>([
  ['without events', [], 1, 'Documentado'],
  ['is that of the event that occurred last', [at(2, 'EnReparto'), at(1, 'EnTransito')], 1, 'EnReparto'],
  ['stays delivered', [at(1, 'Entregado'), at(2, 'Incidencia'), at(3, 'EnReparto')], 1, 'Entregado'],
  [
    'is delivered, at the moment of an incident, and stays so',
    [at(1, 'Entregado'), at(1, 'Incidencia'), at(2, 'Entregado')],
    1,
    'Entregado',
  ],
  [
    'is that of the incident once the delivery of its moment is annulled',
    [at(1, 'Incidencia'), at(1, 'Entregado', { Id: 'x' }), at(2, 'Anulacion', { Anula: 'x' })],
    1,
    'Incidencia',
  ],
  ...[at(1, 'Entregado'), at(1, 'Devuelto')].map((first, i, both): [string, Fact[], number, string] => [
    `is Devuelto where it was also delivered at that moment, as ${first.Tipo} comes first`,
    [first, both[1 - i] as Fact],
    1,
    'Devuelto',
  ]),
  ['stays returned', [at(1, 'Devuelto'), at(2, 'Entregado')], 1, 'Devuelto'],
  [
    'is Devuelto where a later delivery was told before',
    [at(2, 'Entregado'), at(1, 'Devuelto')],
    1,
    'Devuelto',
  ],
  [
    'is what it was before a delivery that was a mistake',
    [at(1, 'EnReparto'), at(2, 'Entregado', { Id: 'x' }), at(3, 'Anulacion', { Anula: 'x' })],
    1,
    'EnReparto',
  ],
  [
    'is the least advanced package’s',
    [at(1, 'EnReparto'), at(2, 'Entregado', { Paquete: 1 })],
    3,
    'EnReparto',
  ],
  ['counts packages without events', [at(1, 'Entregado', { Paquete: 1 })], 2, 'Documentado'],
  [
    'is Entregado once all are',
    [at(1, 'Entregado', { Paquete: 1 }), at(2, 'Entregado', { Paquete: 2 })],
    2,
    'Entregado',
  ],
  [
    'is Entregado once all are, whatever had happened to all at once',
    [at(1, 'EnTransito'), at(2, 'Entregado', { Paquete: 1 }), at(3, 'Entregado', { Paquete: 2 })],
    2,
    'Entregado',
  ],
  [
    'is Devuelto where some were delivered and others came back',
    [at(1, 'Entregado', { Paquete: 1 }), at(2, 'Devuelto', { Paquete: 2 })],
    2,
    'Devuelto',
  ],
  [
    'is Incidencia where one package has one',
    [at(1, 'Entregado', { Paquete: 1 }), at(1, 'Incidencia', { Paquete: 2 })],
    2,
    'Incidencia',
  ],
  ['is Incidencia before another package has left', [at(1, 'Incidencia', { Paquete: 1 })], 2, 'Incidencia'],
  ['of a cancelled guide', [at(1, 'Cancelacion')], 1, 'Cancelado'],
])('the state of a guide %s', ([, events, packages, state]) => {
  expect(guideState(events, packages)).toBe(state);
});

/** Lists of events with packages, repeated moments, and annulments of events that are there, or come, or never do. */
const lists = fc
  .array(
    fc.record({
      type: fc.constantFrom(...EVENT_TYPE_NAMES),
      minute: fc.nat(8),
      package: fc.option(fc.integer({ min: 1, max: 3 })),
      annuls: fc.nat(25),
    }),
    { maxLength: 20 },
  )
  .map((events) =>
    events.map(({ type, minute, package: Paquete, annuls }, i) =>
      at(minute, type, {
        Id: `id${i}`,
        ...(Paquete !== null && { Paquete }),
        ...(type === 'Anulacion' && { Anula: `id${annuls}` }),
      }),
    ),
  );

it('is the same whatever the order, the repetitions and the splits in which events come', () => {
  fc.assert(
    fc.property(
      lists.chain((events) =>
        fc.record({
          events: fc.constant(events),
          shuffled: fc.shuffledSubarray(events, { minLength: events.length }),
          repeated: fc.subarray(events),
        }),
      ),
      ({ events, shuffled, repeated }) => {
        expect(guideState([...shuffled, ...repeated], 3)).toBe(guideState(events, 3));
      },
    ),
    { numRuns: 300 },
  );
});

it('of a delivered guide changes by an annulment alone', () => {
  fc.assert(
    fc.property(
      lists,
      fc.array(fc.constantFrom(...EVENT_TYPE_NAMES.filter((type) => type !== 'Anulacion')), { maxLength: 5 }),
      (before, types) => {
        const delivered = [...before.filter(({ Tipo }) => Tipo !== 'Anulacion'), at(9, 'Entregado')];
        const after = types.map((type, i) => at(10 + i, type));
        fc.pre(guideState(delivered, 3) === 'Entregado');
        expect(guideState([...delivered, ...after], 3)).toBe('Entregado');
      },
    ),
  );
});

it('of a package is final wherever a final event is not annulled', () => {
  fc.assert(
    fc.property(lists, (events) => {
      const facts = events
        .filter(({ Tipo }) => Tipo !== 'Anulacion')
        .map(({ Id, Tipo, Ocurrido }) => ({ Id, Tipo, Ocurrido }));
      const isFinal = facts.some(({ Tipo }) => Tipo === 'Entregado' || Tipo === 'Devuelto');
      expect(['Entregado', 'Devuelto'].includes(guideState(facts, 1))).toBe(isFinal);
    }),
  );
});
