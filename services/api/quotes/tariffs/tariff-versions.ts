import type { TariffLogEntry } from './tariff-store.ts';

/** A version of the tariff. `from`: from when on it may be in force, in ms since 1970. */
export type TariffVersion = { number: number; at: Date; by: string; from: number; withdrawn: boolean };

/** Returns the versions that a log of tariffs has, by ascending number. */
export function versionsIn(entries: readonly TariffLogEntry[]): TariffVersion[] {
  const withdrawn = new Set(entries.map(({ withdraws }) => withdraws));
  return entries.flatMap(({ _id: number, at, by, from }) =>
    from ? [{ number, at, by, from: from.getTime(), withdrawn: withdrawn.has(number) }] : [],
  );
}

/**
 * Returns the version that is in force at a moment: of those that have begun and are not withdrawn, the one that began last,
 * and of several from the same moment the one with the greatest number.
 */
export function inForceAt(versions: readonly TariffVersion[], moment: number): TariffVersion | undefined {
  return versions
    .filter(({ from, withdrawn }) => from <= moment && !withdrawn)
    .toSorted(byBeginning)
    .at(-1);
}

/**
 * Returns the versions that will be in force after a moment, the next one first. Of several from the same moment only the
 * one with the greatest number ever is.
 */
export function laterThan(versions: readonly TariffVersion[], moment: number): TariffVersion[] {
  const later = versions.filter(({ from, withdrawn }) => from > moment && !withdrawn).toSorted(byBeginning);
  return later.filter(({ from }, i) => later[i + 1]?.from !== from);
}

function byBeginning(one: TariffVersion, other: TariffVersion): number {
  return one.from - other.from || one.number - other.number;
}
