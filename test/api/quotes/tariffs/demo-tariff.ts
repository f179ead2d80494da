import { DEMO_TARIFF } from '#local/demo-data.ts';
import type { Surroundings } from '#services/api/quotes/tariffs/check-tariff.ts';
import { readTariff } from '#services/api/quotes/tariffs/read-tariff.ts';
import type { Tariff } from '#services/api/quotes/tariffs/tariff.ts';
import {
  readTariffFolder,
  type TariffFile,
  type TariffFolder,
} from '#services/api/quotes/tariffs/tariff-files.ts';
import { TariffReport } from '#services/api/quotes/tariffs/tariff-report.ts';

export const demoFolder = await readTariffFolder(DEMO_TARIFF);
export const demoTariff = (await readTariff(demoFolder, new TariffReport())) as Tariff;

/** An installation for which the demo tariff has no warning. */
export const AROUND: Surroundings = {
  inForce: demoTariff,
  laterVersions: [],
  origins: new Map([['MEX01', '06600']]),
  coveredPostalCodes: ['06600', '64000'],
  accounts: new Set(['demo']),
  from: '2026-11-23',
};

/** The demo tariff with one file changed by its text. */
export function changed(file: TariffFile, change: (text: string) => string): TariffFolder {
  const text = demoFolder.get(file)?.toString('utf8') ?? '';
  const other = change(text);
  if (other === text) throw new Error(`nothing changed in ${file}`);
  return new Map([...demoFolder, [file, Buffer.from(other)]]);
}
