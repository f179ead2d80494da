import { branchCode, type CoverageResponse } from '#shared/branches/branch.ts';
import type { Snapshot } from '#shared/branches/branch-store.ts';

/**
 * Returns the postal codes that a guide may be sent to, as ranges of successive codes with one branch and one route, by
 * ascending codes. Every code of a range has coverage: where one lacks it, a range ends.
 */
export function coverageRanges({ version, branches, coverage }: Snapshot): CoverageResponse {
  const destinations = branches.filter(({ Activa, Destino }) => Activa && Destino);
  const codes = new Set(destinations.map(({ Codigo }) => branchCode(Codigo)));
  const ranges: CoverageResponse['ranges'] = [];
  for (const { postalCode, code, route } of coverage.toSorted(byPostalCode)) {
    const branch = branchCode(code);
    const last = ranges.at(-1);
    if (!codes.has(branch)) continue;
    const isNext = last && Number(last[1]) + 1 === Number(postalCode);
    if (isNext && last[2] === branch && last[3] === route) last[1] = postalCode;
    else ranges.push(route ? [postalCode, postalCode, branch, route] : [postalCode, postalCode, branch]);
  }
  return { version, ranges };
}

type Coverage = Snapshot['coverage'][number];

function byPostalCode(one: Coverage, other: Coverage): number {
  return one.postalCode < other.postalCode ? -1 : 1;
}
