import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import type { CommandResult } from '#shared/audit/record-command.ts';
import { type Run, typedPath } from '#shared/commands/run-command-line.ts';
import {
  ASKS,
  addLoadOptions,
  carryOut,
  type Load,
  type LoadOptions,
  typedOptions,
} from '#shared/loads/carry-out.ts';
import { checkTariff } from '../tariffs/check-tariff.ts';
import { compareTariffs, warnOfAmounts } from '../tariffs/compare-tariffs.ts';
import { readTariff } from '../tariffs/read-tariff.ts';
import { readSurroundings } from '../tariffs/surroundings.ts';
import { readTariffFolder, type TariffFolder } from '../tariffs/tariff-files.ts';
import { TariffReport } from '../tariffs/tariff-report.ts';
import { inForceAt } from '../tariffs/tariff-versions.ts';
import { beginningOf, parseDate } from './local-days.ts';
import { addVersion, filesOf, readStoredTariffs, type StoredTariffs } from './stored-tariffs.ts';
import { parseVersion, VERSION } from './version-commands.ts';

/** Adds the commands `import` and `restore`. */
export function addLoadCommands(program: Command, run: Run): void {
  const load = program
    .command('import')
    .description(`carga una carpeta como version nueva, si no tiene errores; ${ASKS}, o si hay avisos`)
    .argument('<carpeta>', 'con los archivos .csv que cambian; los demas son los de la version anterior')
    .option(
      '--from <fecha>',
      'desde que dia rige, a las 00:00, como 2026-12-01; si falta, desde ahora',
      parseDate,
    );
  addLoadOptions(load).action((path: string, options: LoadOptions & { from?: string }) => {
    const { from } = options;
    const details = { folder: basename(path), ...(from && { from }), ...typedOptions(options) };
    return run((mongo) => loadVersion(mongo, options, (before) => readChanges(typedPath(path), before)), {
      action: 'tariffs.import',
      details,
    });
  });
  const restore = program
    .command('restore')
    .description(
      `pone los archivos de una version otra vez en vigor, como version nueva y desde ahora; ${ASKS}, o si hay avisos`,
    )
    .argument('<version>', VERSION, parseVersion);
  addLoadOptions(restore).action((version: number, options: LoadOptions) =>
    run((mongo) => loadVersion(mongo, options, (_, stored) => readVersion(stored, version)), {
      action: 'tariffs.restore',
      subject: `${version}`,
      details: typedOptions(options),
    }),
  );
}

/** Files for a new version, all of them. `words`: what the operator is told of it. */
type Wanted = Pick<Load, 'done' | 'size' | 'details'> & {
  remedy: string;
  folder: TariffFolder;
  hasExamples: boolean;
  words: string;
};

async function readChanges(path: string, before: TariffFolder): Promise<Wanted> {
  const changes = await readTariffFolder(path);
  return {
    folder: new Map([...before, ...changes]),
    // Those of the version before were worked out with the prices of then.
    hasExamples: changes.has('ejemplos.csv'),
    size: `Archivos: ${[...changes.keys()].join(', ')}.`,
    done: 'Cargado',
    words: '',
    remedy: 'corrija los errores',
  };
}

async function readVersion(stored: StoredTariffs, version: number): Promise<Wanted> {
  return {
    folder: await filesOf(stored, version),
    hasExamples: false,
    size: `Archivos de la version ${version}.`,
    done: 'Restaurado',
    words: `con los archivos de la ${version}, `,
    details: { restored: version },
    remedy: 'exporte la version, corrija los errores y carguela',
  };
}

/**
 * Checks files, compares them with the version that is in force when they begin, and adds them as a version.
 * @param from the day on which it begins; without it the version begins now.
 * @param read gets the files of the version in force.
 * @throws Error with the report, if the files have errors.
 */
async function loadVersion(
  mongo: Connection,
  { from, ...options }: LoadOptions & { from?: string },
  read: (before: TariffFolder, stored: StoredTariffs) => Promise<Wanted>,
): Promise<CommandResult> {
  const stored = await readStoredTariffs(mongo);
  const begins = beginningOf(from, stored.now);
  const inForce = inForceAt(stored.versions, begins.moment);
  const before = inForce && (await stored.store.folder(inForce.number));
  const { folder, hasExamples, words, remedy, ...wanted } = await read(before ?? new Map(), stored);
  const report = new TariffReport();
  const tariff = await readTariff(folder, report);
  const around = await readSurroundings(mongo, stored.versions, before, begins);
  if (tariff) checkTariff(hasExamples ? tariff : { ...tariff, examples: [] }, around, report);
  if (report.errors.count > 0)
    throw new Error([wanted.size, ...describeReport(report), `No se cambio nada: ${remedy}`].join('\n'));
  const differences = compareTariffs(before ?? new Map(), folder, begins.date);
  warnOfAmounts(differences, report);
  const load: Load = {
    ...wanted,
    differences: [...differences.values()],
    warnings: describeReport(report),
    version: inForce?.number ?? 0,
    // Stored without a difference too: for a day, before which another version may begin; an example; a price written otherwise.
    storesMore:
      from !== undefined ||
      folder.size !== before?.size ||
      [...folder].some(([file, own]) => !before.get(file)?.equals(own)),
    store: async () => {
      const { version, state } = await addVersion(
        stored,
        folder,
        from === undefined ? undefined : begins.moment,
      );
      return { details: { version }, state: `Version ${version}, ${words}${state}` };
    },
  };
  return carryOut(load, options);
}

function describeReport({ errors, warnings }: TariffReport): string[] {
  return [
    ...(errors.count > 0 ? [`Errores: ${errors.count}`, `${errors}`] : []),
    ...(warnings.count > 0 ? [`Avisos: ${warnings.count}`, `${warnings}`] : []),
  ];
}
