import type { Connection } from 'mongoose';
import { UserStore } from '#shared/accounts/user-store.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import type { Surroundings } from './check-tariff.ts';
import { readTariff } from './read-tariff.ts';
import { TariffReport } from './tariff-report.ts';
import type { TariffStore } from './tariff-store.ts';
import { inForceAt, laterThan, type TariffVersion } from './tariff-versions.ts';

/**
 * Reads what a tariff that begins at a moment is checked against.
 *
 * @param versions those that are stored.
 * @param begins its moment in ms since 1970, and its local date.
 */
export async function readSurroundings(
  mongo: Connection,
  store: TariffStore,
  versions: readonly TariffVersion[],
  begins: { moment: number; date: string },
): Promise<Surroundings> {
  const before = inForceAt(versions, begins.moment);
  const folder = before && (await store.folder(before.number));
  const { branches, coverage } = await new BranchStore(mongo).snapshot();
  const origins = branches.filter(({ Activa, Origen }) => Activa && Origen);
  return {
    inForce: folder && (await readTariff(folder, new TariffReport())),
    laterVersions: laterThan(versions, begins.moment).map(({ number }) => number),
    origins: new Map(origins.map(({ Codigo, CodigoPostal }) => [Codigo, CodigoPostal])),
    coveredPostalCodes: coverage.map(({ postalCode }) => postalCode).sort(),
    accounts: await new UserStore(mongo).accounts(),
    from: begins.date,
  };
}
