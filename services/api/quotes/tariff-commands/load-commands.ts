import { basename } from 'node:path';
import type { Command } from 'commander';
import { type Run, typedPath } from '#shared/commands/run-command-line.ts';
import { acceptWarnings, addYes } from '#shared/commands/warnings.ts';
import { checkTariff } from '../tariffs/check-tariff.ts';
import { readTariff } from '../tariffs/read-tariff.ts';
import { readSurroundings } from '../tariffs/surroundings.ts';
import type { Tariff } from '../tariffs/tariff.ts';
import { describeDifference, describeRows } from '../tariffs/tariff-difference.ts';
import {
  readTariffFolder,
  type TariffFolder,
  withChanges,
  withoutEmptyFiles,
} from '../tariffs/tariff-files.ts';
import { TariffReport } from '../tariffs/tariff-report.ts';
import { inForceAt } from '../tariffs/tariff-versions.ts';
import { type Beginning, beginningOf, parseDate } from './local-days.ts';
import { addVersion, readStoredTariffs, type StoredTariffs } from './stored-tariffs.ts';

const FOLDER = 'con los archivos .csv que cambian; los demas son los de la version anterior';

/** Adds the commands `check` and `import`. */
export function addLoadCommands(program: Command, run: Run): void {
  program
    .command('check')
    .description('revisa una carpeta y dice que cambiaria; no cambia nada')
    .argument('<carpeta>', FOLDER)
    .option('--from <fecha>', 'la revisa como si rigiera desde ese dia, como 2026-12-01', parseDate)
    .action((path: string, { from }: { from?: string }) =>
      run(async (mongo) => {
        const stored = await readStoredTariffs(mongo);
        const { warnings, text } = await checkFolder(stored, typedPath(path), beginningOf(from, stored.now));
        const accept = warnings > 0 ? '. Para cargarla con estos avisos: import --yes' : '';
        return { text: `${text}\nPrueba, no se cambio nada${accept}` };
      }),
    );
  const load = program
    .command('import')
    .description('carga una carpeta como version nueva, si no tiene errores; pregunta si tiene avisos')
    .argument('<carpeta>', FOLDER)
    .option(
      '--from <fecha>',
      'desde que dia rige, a las 00:00, como 2026-12-01; si falta, desde ahora',
      parseDate,
    );
  addYes(load).action((path: string, { from, yes = false }: { from?: string; yes?: boolean }) =>
    run(
      async (mongo) => {
        const stored = await readStoredTariffs(mongo);
        const begins = beginningOf(from, stored.now);
        const { folder, warnings, text } = await checkFolder(stored, typedPath(path), begins);
        const isRead = warnings > 0 && (await acceptWarnings(text, yes));
        const { version, state } = await addVersion(
          stored,
          folder,
          from === undefined ? undefined : begins.moment,
        );
        const loaded = `Version ${version}, ${state}`;
        return { text: isRead ? loaded : `${text}\n${loaded}`, details: { version } };
      },
      {
        action: 'tariffs.import',
        details: {
          folder: basename(path),
          ...(from && { from }),
          ...(yes && { yes }),
        },
      },
    ),
  );
}

/** A folder without errors, completed by the version that is in force when it begins, and the report in words. */
type Checked = { folder: TariffFolder; warnings: number; text: string };

/** Reads and checks a folder. @throws Error with the report, if the folder has errors. */
async function checkFolder(
  { mongo, store, versions }: StoredTariffs,
  path: string,
  begins: Beginning,
): Promise<Checked> {
  const before = inForceAt(versions, begins.moment);
  const base = (before && (await store.folder(before.number))) ?? new Map();
  const changes = await readTariffFolder(path);
  const folder = withChanges(base, changes);
  const report = new TariffReport();
  const tariff = await readTariff(folder, report);
  const around = await readSurroundings(mongo, store, versions, begins);
  // Those of the version before were worked out with the prices of then.
  const examples = changes.has('ejemplos.csv') ? (tariff?.examples ?? []) : [];
  if (tariff) checkTariff({ ...tariff, examples }, around, report);
  const differences = tariff && around.inForce ? describeChanges(changes, base, around.inForce, tariff) : [];
  const text = [
    `Archivos: ${[...changes.keys()].join(', ')}`,
    ...describeReport(report),
    ...differences,
  ].join('\n');
  if (report.errors.count > 0) throw new Error(`${text}\nNo se cargo nada: corrija los errores`);
  return { folder: withoutEmptyFiles(folder), warnings: report.warnings.count, text };
}

function describeReport({ errors, warnings }: TariffReport): string[] {
  return [
    ...(errors.count > 0 ? [`Errores: ${errors.count}`, `${errors}`] : []),
    ...(warnings.count > 0 ? [`Avisos: ${warnings.count}`, `${warnings}`] : []),
  ];
}

/** Says what each file of a folder changes: of prices by how much, of the others which rows. */
function describeChanges(changes: TariffFolder, base: TariffFolder, before: Tariff, after: Tariff): string[] {
  // The examples are part of no price.
  const files = [...changes.keys()].filter((file) => file !== 'ejemplos.csv');
  return files.map((file) =>
    file === 'precios.csv' ? describeDifference(before, after) : describeRows(file, base, changes),
  );
}
