import { branchCode } from '#shared/branches/branch.ts';
import type { Snapshot } from '#shared/branches/branch-store.ts';
import { type Difference, differenceOf } from '#shared/loads/difference.ts';

type Loaded = Pick<Snapshot, 'branches' | 'coverage'>;

/** What guides use of a directory, by its words. A branch that closes takes its postal codes away, although their rows stay. */
const USES: Readonly<Record<string, (loaded: Loaded) => string[][]>> = {
  'sucursales de origen': ({ branches }) =>
    branches.filter(({ Activa, Origen }) => Activa && Origen).map(({ Codigo }) => [Codigo]),
  'sucursales de destino': (loaded) => [...destinationsOf(loaded)].map((code) => [code]),
  'codigos postales con cobertura': (loaded) => {
    const destinations = destinationsOf(loaded);
    const covered = loaded.coverage.filter(({ code }) => destinations.has(branchCode(code)));
    return covered.map(({ postalCode, code }) => [postalCode, branchCode(code)]);
  },
};

/** Compares what guides use of a directory before and after a load. */
export function compareUses(before: Loaded, after: Loaded): Difference<string[]>[] {
  return Object.entries(USES).map(([name, used]) => {
    const table = { name, columns: ['', 'Sucursal'], keys: 1, cells: (row: string[]) => row };
    return differenceOf(table, used(before), used(after));
  });
}

function destinationsOf({ branches }: Loaded): Set<string> {
  const destinations = branches.filter(({ Activa, Destino }) => Activa && Destino);
  return new Set(destinations.map(({ Codigo }) => branchCode(Codigo)));
}
