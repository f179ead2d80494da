import { inTurns } from '#shared/async/in-turns.ts';
import type { Problem, ProblemList } from '#shared/errors/domain-error.ts';
import type { Guide } from '#shared/guides/guide.ts';
import type { Catalogue } from '../branches/postal-codes/catalogue.ts';
import { closestColonia, comparableName } from '../branches/postal-codes/colonia-names.ts';
import { ADDRESSES } from './address-warnings.ts';

/** Most colonias that a warning names. */
const MAX_NAMED = 5;

/** Warns of colonias that the catalogue does not have at their postal code. A code that it lacks gives no warning. */
export async function warnOfUnknownColonias(
  catalogue: Catalogue,
  warnings: ProblemList,
  guides: readonly (Pick<Guide, (typeof ADDRESSES)[number]> | undefined)[],
): Promise<void> {
  await inTurns(guides, (guide, indice) => {
    for (const section of ADDRESSES) {
      const { CodigoPostal, Colonia } = guide?.[section] ?? {};
      if (CodigoPostal === undefined || Colonia === undefined) continue;
      if (catalogue.find(CodigoPostal)?.Colonias.includes(Colonia) ?? true) continue;
      const colonias = catalogue.coloniasOf(CodigoPostal) ?? new Map();
      const comparable = comparableName(Colonia);
      if (colonias.has(comparable)) continue;
      warnings.add(() => unknownColonia(indice, `${section}.Colonia`, CodigoPostal, comparable, colonias));
    }
  });
}

function unknownColonia(
  indice: number,
  campo: string,
  postalCode: string,
  comparable: string,
  colonias: ReadonlyMap<string, string>,
): Problem {
  const meant = closestColonia(comparable, colonias);
  const names = [...colonias.values()].slice(0, MAX_NAMED).join(', ');
  const others = colonias.size - MAX_NAMED;
  const known = others > 0 ? `${names} y ${others} más` : names;
  return { indice, campo, code: 'colonia-unknown', params: { postalCode, meant, known } };
}
