import { branchCode } from '#shared/branches/branch.ts';
import type { Snapshot } from '#shared/branches/branch-store.ts';

/** Share of what is loaded, above which a load that takes it away is probably a mistake. */
const LARGE = 0.1;

type Loaded = Pick<Snapshot, 'branches' | 'coverage'>;

const COVERED = 'codigos postales con cobertura';
/** What guides use of a directory, by the words of a warning. */
const USES: Readonly<Record<string, (loaded: Loaded) => string[]>> = {
  sucursales: ({ branches }) => branches.map(({ Codigo }) => Codigo),
  'sucursales de origen': ({ branches }) =>
    branches.filter(({ Activa, Origen }) => Activa && Origen).map(({ Codigo }) => Codigo),
  'sucursales de destino': (loaded) => [...destinationsOf(loaded)],
  [COVERED]: (loaded) => [...coveringBranches(loaded).keys()],
};

/** `texts` are for the operator. */
export type Losses = { texts: string[]; areLarge: boolean };

/**
 * Says what a load takes away of each use, and how many postal codes it gives to other branches, if it is more than a tenth. Of
 * postal codes that lose their coverage it says each.
 */
export function lossesOf(before: Loaded, after: Loaded): Losses {
  const losses = Object.entries(USES).map(([what, used]) => {
    const former = used(before);
    const left = new Set(used(after));
    const gone = former.filter((one) => !left.has(one)).length;
    return { verb: 'se pierden', gone, all: former.length, what, isTold: what === COVERED && gone > 0 };
  });
  const former = [...coveringBranches(before)];
  const left = coveringBranches(after);
  const moved = former.filter(([postalCode, code]) => (left.get(postalCode) ?? code) !== code).length;
  const moves = {
    verb: 'cambian de sucursal',
    gone: moved,
    all: former.length,
    what: COVERED,
    isTold: false,
  };
  const found = [...losses, moves].map((one) => ({ ...one, isLarge: one.gone > one.all * LARGE }));
  return {
    areLarge: found.some(({ isLarge }) => isLarge),
    texts: found.flatMap(({ verb, gone, all, what, isTold, isLarge }) =>
      isTold || isLarge ? [`Aviso: ${verb} ${gone} de ${all} ${what}`] : [],
    ),
  };
}

function destinationsOf({ branches }: Loaded): Set<string> {
  const destinations = branches.filter(({ Activa, Destino }) => Activa && Destino);
  return new Set(destinations.map(({ Codigo }) => branchCode(Codigo)));
}

/** Returns the branches of the postal codes that guides may be sent to. */
function coveringBranches(loaded: Loaded): Map<string, string> {
  const destinations = destinationsOf(loaded);
  const covered = loaded.coverage.filter(({ code }) => destinations.has(branchCode(code)));
  return new Map(covered.map(({ postalCode, code }) => [postalCode, branchCode(code)]));
}
