import type { Branch } from '#shared/branches/branch.ts';
import type { ProblemList } from '#shared/errors/domain-error.ts';
import type { Guide, ServiceType } from '#shared/guides/guide.ts';
import { namesOtherState, stateOfPostalCode } from './states.ts';

/**
 * Warnings of what addresses lack or contradict (docs/contract.md "Guides"). Nothing is refused for them. A guide
 * without a warning costs a few comparisons. A guide whose fields are wrong is undefined here.
 */

/** The sections of a guide with an address: where it goes, and where it returns to. */
export const ADDRESSES = ['Destinatario', 'Remitente'] as const;
type Address = Pick<Guide['Remitente'], 'CodigoPostal' | 'Estado'>;
/** A request for a quote may have no sender. */
type Addressed = { Destinatario: Address; Remitente?: Address };
/** The branch that a guide goes to, and the postal code at which a home delivery is delivered. */
export type Place = { branch: Pick<Branch, 'Codigo'>; homePostalCode: string };

/**
 * A street and its number in one text, as spreadsheets have them: `Av. Juárez 800-B`, `Hidalgo #5 int. 2`, `Sol s/n`. In
 * `Calle 5` the number is the street's name.
 */
const STREET_AND_NUMBER = /^(?!(?:calle|c\.|avenida|av\.?) ?\d+\p{L}?$).*\p{L}.*[ #.,](?:\d|s\/?n\b)/iu;

/** Warns of home deliveries that do not say where the home is. */
export function warnOfIncompleteAddresses(
  warnings: ProblemList,
  service: ServiceType | undefined,
  guides: readonly (Guide | undefined)[],
): void {
  if (service !== 'Domicilio') return;
  for (const [indice, guide] of guides.entries()) {
    if (!guide) continue;
    const missing = missingOf(guide.Destinatario).map((name) => `Destinatario.${name}`);
    const [campo] = missing;
    if (campo === undefined) continue;
    warnings.add(() => ({
      indice,
      campo,
      code: 'address-incomplete',
      params: { missing: missing.join(', ') },
    }));
  }
}

/** Returns what a driver needs to find the home, and lacks. */
function missingOf({ Calle, Numero_exterior }: Guide['Destinatario']): string[] {
  const hasNumber = Numero_exterior !== undefined || (Calle !== undefined && STREET_AND_NUMBER.test(Calle));
  return [...(Calle === undefined ? ['Calle'] : []), ...(hasNumber ? [] : ['Numero_exterior'])];
}

/** Warns of postal codes of another state than their address says. A text that names no known state gives no warning. */
export function warnOfOtherStates(warnings: ProblemList, guides: readonly (Addressed | undefined)[]): void {
  for (const [indice, guide] of guides.entries()) {
    for (const section of ADDRESSES) {
      const { CodigoPostal, Estado } = guide?.[section] ?? {};
      if (CodigoPostal === undefined || Estado === undefined) continue;
      const state = stateOfPostalCode(CodigoPostal);
      if (state === undefined || !namesOtherState(Estado, state)) continue;
      warnings.add(() => ({
        indice,
        campo: `${section}.CodigoPostal`,
        code: 'state-different',
        params: { postalCode: CodigoPostal, state, sent: Estado },
      }));
    }
  }
}

/**
 * Warns of home deliveries to a branch that does not cover the recipient's postal code: the branch's own one is priced.
 *
 * @param service undefined if home deliveries are among those that are quoted.
 * @param places of the guides; one that is undefined gives no warning.
 */
export function warnOfOtherPlaces(
  warnings: ProblemList,
  service: ServiceType | undefined,
  guides: readonly (Addressed | undefined)[],
  places: readonly (Place | undefined)[],
): void {
  if (service === 'the service') return;
  for (const [indice, guide] of guides.entries()) {
    const postalCode = guide?.Destinatario.CodigoPostal;
    const place = places[indice];
    if (postalCode === undefined || place === undefined || place.homePostalCode === postalCode) continue;
    warnings.add(() => ({
      indice,
      campo: 'Destinatario.CodigoPostal',
      code: 'place-different',
      params: { branch: place.branch.Codigo, postalCode, priced: place.homePostalCode },
    }));
  }
}
