import { expect, test } from 'vitest';
import { localDays, localTimeFormatter } from '#services/api/platform/local-time.ts';

test.for<[zone: string, moment: string, date: string, endsAt: string]>([
  ['America/Mexico_City', '2026-11-21T18:00:00.500Z', '2026-11-21', '2026-11-22T06:00:00.000Z'],
  ['America/Mexico_City', '2026-11-22T05:59:59.999Z', '2026-11-21', '2026-11-22T06:00:00.000Z'],
  ['America/Mexico_City', '2026-11-22T06:00:00.000Z', '2026-11-22', '2026-11-23T06:00:00.000Z'],
  // A day of 25 hours, and one of 23.
  ['America/Tijuana', '2026-11-01T08:00:00.000Z', '2026-11-01', '2026-11-02T08:00:00.000Z'],
  ['America/Tijuana', '2026-11-01T07:00:00.000Z', '2026-11-01', '2026-11-02T08:00:00.000Z'],
  ['America/Tijuana', '2026-03-08T08:00:00.000Z', '2026-03-08', '2026-03-09T07:00:00.000Z'],
  // In Chile clocks go from midnight to one.
  ['America/Santiago', '2026-09-06T03:59:59.000Z', '2026-09-05', '2026-09-06T04:00:00.000Z'],
  ['Asia/Kathmandu', '2026-11-21T18:00:00.000Z', '2026-11-21', '2026-11-21T18:15:00.000Z'],
])('in %s the day of %s ends at the next midnight', ([zone, moment, date, endsAt]) => {
  const day = localDays(localTimeFormatter(zone))(Date.parse(moment));
  expect([day.date, new Date(day.endsAt).toISOString()]).toEqual([date, endsAt]);
});
