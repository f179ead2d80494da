import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { windowsFrom, windowsOn } from '#services/api/pickups/calendar/windows.ts';
import { localTimeIn } from '#services/api/pickups/zones.ts';
import { type PickupRow, WEEKDAYS } from '#shared/pickups/calendar-model.ts';

/** Days and times of a calendar are a branch's own, also where its clocks change and those of the next state do not. */

const row = (more: Partial<PickupRow> = {}): PickupRow => ({
  branch: 'TIJ01',
  weekday: 'dom',
  from: '09:00',
  to: '13:00',
  cutoff: '08:00',
  isDayBefore: false,
  automatic: false,
  ...more,
});
const everyDay = (more: Partial<PickupRow> = {}) => WEEKDAYS.map((weekday) => row({ ...more, weekday }));
const utc = (ms: number | undefined) => new Date(ms ?? Number.NaN).toISOString();
const calendarOf = (rows: PickupRow[]) => ({ rows, closedDays: [] });
const at = (zone: string, date: string, rows = everyDay()) => {
  const [window] = windowsOn(calendarOf(rows), { branch: 'TIJ01', zone }, date);
  return [utc(window?.closesAt), utc(window?.startsAt), utc(window?.endsAt)];
};

/** The border changes its clocks as the United States do: in 2026 on 8 March and 1 November. Mexico has not since 2022. */
describe('on the days on which the border changes its clocks', () => {
  test.for<[string, string, [string, string, string]]>([
    ['America/Tijuana', '2026-03-07', ['16:00', '17:00', '21:00']],
    ['America/Tijuana', '2026-03-08', ['15:00', '16:00', '20:00']],
    ['America/Tijuana', '2026-10-31', ['15:00', '16:00', '20:00']],
    ['America/Tijuana', '2026-11-01', ['16:00', '17:00', '21:00']],
    ['America/Cancun', '2026-03-08', ['13:00', '14:00', '18:00']],
    ['America/Cancun', '2026-11-01', ['13:00', '14:00', '18:00']],
    ['America/Hermosillo', '2026-03-08', ['15:00', '16:00', '20:00']],
    ['America/Hermosillo', '2026-11-01', ['15:00', '16:00', '20:00']],
    ['America/Mexico_City', '2026-03-08', ['14:00', '15:00', '19:00']],
    ['America/Mexico_City', '2026-11-01', ['14:00', '15:00', '19:00']],
  ])('%s on %s', ([zone, date, times]) => {
    expect(at(zone, date)).toEqual(times.map((time) => `${date}T${time}:00.000Z`));
  });

  test('a cut-off of the day before is of the clocks of that day', () => {
    const rows = everyDay({ cutoff: '20:00', isDayBefore: true });
    expect(at('America/Tijuana', '2026-03-08', rows)[0]).toBe('2026-03-08T04:00:00.000Z');
    expect(at('America/Tijuana', '2026-11-01', rows)[0]).toBe('2026-11-01T03:00:00.000Z');
  });
});

describe('windows from a moment on', () => {
  const place = { branch: 'TIJ01', zone: 'America/Tijuana' };
  const noon = Date.parse('2026-11-30T20:00:00Z');

  test('end with their cut-off, to the millisecond', () => {
    const calendar = calendarOf(everyDay({ cutoff: '12:00', from: '14:00', to: '18:00' }));
    expect(windowsFrom(calendar, place, noon - 1, 2).map(({ date }) => date)).toEqual([
      ...['2026-11-30', '2026-12-01'],
    ]);
    expect(windowsFrom(calendar, place, noon, 2).map(({ date }) => date)).toEqual(['2026-12-01']);
  });

  test('leave out other branches, other days of the week, and days without pick-ups', () => {
    const rows = [...everyDay(), row({ weekday: 'mar', branch: 'MEX01', from: '07:00' })];
    const closedDays = [
      { date: '2026-12-02', reason: 'Inventario', branch: 'TIJ01' },
      { date: '2026-12-03', reason: 'Inventario', branch: 'MEX01' },
      { date: '2026-12-04', reason: 'Puente' },
    ];
    const found = windowsFrom({ rows, closedDays }, place, noon, 7);
    expect(found.map(({ date, from }) => `${date} ${from}`)).toEqual([
      ...['2026-12-01 09:00', '2026-12-03 09:00', '2026-12-05 09:00', '2026-12-06 09:00'],
    ]);
  });

  test('stand in their order, begin on their day, and are open', () => {
    const hour = fc.integer({ min: 0, max: 22 });
    const rows = fc.uniqueArray(
      fc.record({ weekday: fc.constantFrom(...WEEKDAYS), hour, isDayBefore: fc.boolean() }),
      { selector: ({ weekday, hour }) => `${weekday} ${hour}`, minLength: 1, maxLength: 20 },
    );
    const zones = ['America/Tijuana', 'America/Cancun', 'America/Hermosillo', 'America/Mexico_City'];
    const moments = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-12-31') });
    fc.assert(
      fc.property(rows, fc.constantFrom(...zones), moments, (made, zone, now) => {
        const two = (number: number) => String(number).padStart(2, '0');
        const calendar = calendarOf(
          made.map(({ hour, ...rest }) =>
            row({ ...rest, from: `${two(hour)}:00`, to: `${two(hour)}:59`, cutoff: `${two(hour)}:00` }),
          ),
        );
        const windows = windowsFrom(calendar, { branch: 'TIJ01', zone }, now, 14);
        const names = windows.map(({ date, from }) => `${date} ${from}`);
        expect(names).toEqual([...names].sort());
        for (const { closesAt, startsAt, endsAt, date, from } of windows) {
          expect(closesAt).toBeGreaterThan(now);
          expect(closesAt).toBeLessThanOrEqual(startsAt);
          expect(endsAt).toBeGreaterThan(startsAt);
          const isSkipped = !localTimeIn(zone)(new Date(startsAt)).startsWith(`${date}T${from}`);
          // 02:00 of the night in which the clocks go on does not exist.
          if (isSkipped) expect(from.startsWith('02')).toBe(true);
        }
      }),
    );
  });
});
