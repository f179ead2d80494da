import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BRANCHES } from '#local/demo-data.ts';
import { coverageRanges } from '#services/branches/coverage-ranges.ts';

const coverage = fc.uniqueArray(
  fc.record({
    postalCode: fc.integer({ min: 6_600, max: 6_620 }).map((code) => String(code).padStart(5, '0')),
    code: fc.constantFrom('MEX01', 'MTY01', 'TIJ01'), // TIJ01 takes no parcels
    route: fc.constantFrom(undefined, 'R-1', 'R-2'),
  }),
  { selector: ({ postalCode }) => postalCode },
);

test('ranges say branch and route of each postal code that takes parcels, in as few as there can be', () => {
  fc.assert(
    fc.property(coverage, (sent) => {
      const rows = sent.map(({ route, ...one }) => ({ ...one, ...(route && { route }) }));
      const { ranges } = coverageRanges({ version: '1', branches: [...BRANCHES], coverage: rows });
      const told = ranges.flatMap(([from, to, code, route]) =>
        Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => ({
          postalCode: String(Number(from) + i).padStart(5, '0'),
          code,
          ...(route && { route }),
        })),
      );
      const covered = rows.filter(({ code }) => code !== 'TIJ01');
      expect(told).toEqual(covered.sort((one, other) => (one.postalCode < other.postalCode ? -1 : 1)));
      for (const [i, [, to, ...what]] of ranges.slice(0, -1).entries()) {
        const [from, , ...next] = ranges[i + 1] ?? [''];
        if (Number(to) + 1 === Number(from)) expect(next).not.toEqual(what);
      }
    }),
  );
});
