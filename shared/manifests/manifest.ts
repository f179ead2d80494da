import { type Static, Type } from 'typebox';
import { GUIDE_NUMBER, MAX_PACKAGES, ServiceType } from '../guides/guide.ts';

/** A manifest: the list of the guides that a customer hands over together (docs/contract.md "Manifests"). */

/** `M`, ten random digits, and the check digit of a guide's number. */
export const MANIFEST_NUMBER = '^M[0-9]{11}$';

/** Returns whether a manifest belongs to a test account: its digits begin with 0, as those of its guides. */
export function isTestManifest(number: string): boolean {
  return number.startsWith('M0');
}

/** A guide of a manifest. It names no person, so a manifest needs neither retention nor erasure. */
export const ManifestGuide = Type.Object(
  {
    number: Type.String({ pattern: GUIDE_NUMBER }),
    service: ServiceType,
    /** Code of the branch. */
    destination: Type.String(),
    packages: Type.Integer({ minimum: 1, maximum: MAX_PACKAGES }),
    /** Of all packages together, in kg; absent if the guide states no weight. */
    weight: Type.Optional(Type.Number({ minimum: 0 })),
    /** What is collected on its delivery, in MXN; absent if nothing is. */
    cod: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { additionalProperties: false },
);
export type ManifestGuide = Static<typeof ManifestGuide>;

/** Sums of a manifest's guides. `unweighed`: how many guides state no weight. `cod`: in MXN; absent if nothing is collected. */
export type ManifestTotals = {
  guides: number;
  packages: number;
  weight: number;
  unweighed: number;
  cod?: number;
};

export function totalsOf(guides: readonly ManifestGuide[]): ManifestTotals {
  const sum = (of: (guide: ManifestGuide) => number) => guides.reduce((total, guide) => total + of(guide), 0);
  const centavos = sum(({ cod = 0 }) => Math.round(cod * 100));
  return {
    guides: guides.length,
    packages: sum(({ packages }) => packages),
    weight: inGrams(sum(({ weight = 0 }) => weight)),
    unweighed: sum(({ weight }) => (weight === undefined ? 1 : 0)),
    ...(centavos > 0 && { cod: centavos / 100 }),
  };
}

/** Rounds kilograms to grams: sums of binary fractions have more digits. */
export function inGrams(kilograms: number): number {
  return Math.round(kilograms * 1_000) / 1_000;
}
