import type { Connection } from 'mongoose';
import { UserStore } from '#shared/accounts/user-store.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import type { Surroundings } from './check-tariff.ts';
import { readTariff } from './read-tariff.ts';
import type { TariffFolder } from './tariff-files.ts';
import { TariffReport } from './tariff-report.ts';
import { laterThan, type TariffVersion } from './tariff-versions.ts';

/**
 * Reads what a tariff that begins at a moment is checked against.
 *
 * @param versions those that are stored.
 * @param before the files of the version in force then.
 * @param begins its moment in ms since 1970, and its local date.
 */
export async function readSurroundings(
  mongo: Connection,
  versions: readonly TariffVersion[],
  before: TariffFolder | undefined,
  begins: { moment: number; date: string },
): Promise<Surroundings> {
  const { branches, coverage } = await new BranchStore(mongo).snapshot();
  const origins = branches.filter(({ Activa, Origen }) => Activa && Origen);
  return {
    inForce: before && (await readTariff(before, new TariffReport())),
    laterVersions: laterThan(versions, begins.moment).map(({ number }) => number),
    origins: new Map(origins.map(({ Codigo, CodigoPostal }) => [Codigo, CodigoPostal])),
    coveredPostalCodes: coverage.map(({ postalCode }) => postalCode).sort(),
    accounts: await new UserStore(mongo).accounts(),
    from: begins.date,
  };
}
