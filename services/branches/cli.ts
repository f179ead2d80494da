import { basename } from 'node:path';
import type { Command } from 'commander';
import type { CommandResult } from '#shared/audit/record-command.ts';
import { BranchStore, type Directory, isShort, type Snapshot } from '#shared/branches/branch-store.ts';
import { type Run, runCommandLine, typedPath } from '#shared/commands/run-command-line.ts';
import { acceptWarnings, addYes } from '#shared/commands/warnings.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { branchTable, columnsOf, coverageTable } from './csv-columns.ts';
import { type Dataset, exportCsv, readCsv, replaceDataset } from './csv-files.ts';
import { type Losses, lossesOf } from './losses.ts';
import { addPostalCodeCommands } from './postal-code-commands.ts';

/** `npm run branches`: imports and exports branches and coverage as CSV files, and imports the catalogue of postal codes. */

const NAME = 'npm run branches --';
const HELP = `
El archivo es CSV en UTF-8, separado por , o ; con uno de estos encabezados:
  sucursales  ${columnsOf(branchTable).join(',')}
  cobertura   ${columnsOf(coverageTable(new Set())).join(',')}
El catalogo de codigos postales es CPdescarga.txt, como lo da Correos de Mexico, en ISO-8859-1.

Ejemplos:
  ${NAME} import sucursales.csv --dry-run
  ${NAME} import sucursales.csv
  ${NAME} coverage import cobertura.csv
  ${NAME} postal-codes import CPdescarga.txt
  npm run --silent branches -- coverage export > cobertura.csv`;

type DatasetName = 'branches' | 'coverage';
/** An export without `path` writes to standard output. */
type Typed = { dataset: DatasetName; path: string | undefined } & (
  | { command: 'import'; dryRun: boolean; yes: boolean }
  | { command: 'export' }
);

if (import.meta.main) process.exitCode = await run(process.argv);

/** @returns the exit code. */
export function run(argv: string[]): Promise<number> {
  return runCommandLine(
    {
      name: NAME,
      service: 'branches',
      addCommands(program, run) {
        program
          .description(
            'Carga las sucursales, su cobertura y el catalogo de codigos postales. Lee MONGODB_URI del entorno.',
          )
          .addHelpText('after', HELP);
        addCommands(program, run, 'branches', 'las sucursales');
        const coverage = program
          .command('coverage')
          .description('import y export de la cobertura: que sucursal entrega en cada codigo postal')
          .helpCommand(false);
        addCommands(coverage, run, 'coverage', 'la cobertura');
        addPostalCodeCommands(program, run);
      },
    },
    argv,
  );
}

function addCommands(program: Command, run: Run, dataset: DatasetName, what: string): void {
  const load = program
    .command('import')
    .argument('<archivo>')
    .description(
      `reemplaza ${what} por lo que dice el archivo, si todas sus lineas estan bien; pregunta si con eso se pierde mas de una decima parte`,
    )
    .option('--dry-run', 'solo revisa y dice que cambiaria');
  addYes(load).action((path: string, { dryRun = false, yes = false }: { dryRun?: boolean; yes?: boolean }) =>
    perform(run, { dataset, command: 'import', path, dryRun, yes }),
  );
  program
    .command('export')
    .argument('[archivo]')
    .description(`escribe ${what} en el mismo formato; sin archivo, en la salida estandar`)
    .action((path: string | undefined) => perform(run, { dataset, command: 'export', path }));
}

function perform(run: Run, typed: Typed): Promise<void> {
  const { dataset, command, path } = typed;
  const { dryRun, yes } = typed.command === 'import' ? typed : { dryRun: false, yes: false };
  const details = { ...(path && { file: basename(path) }), ...(dryRun && { dryRun }), ...(yes && { yes }) };
  return run(
    async (mongo) => {
      const store = new BranchStore(mongo);
      const loaded = await store.snapshot();
      const result = await (dataset === 'branches'
        ? transfer(typed, branchesOf(store, loaded), (branches) => lossesOf(loaded, { ...loaded, branches }))
        : transfer(typed, coverageOf(store, loaded), (coverage) =>
            lossesOf(loaded, { ...loaded, coverage }),
          ));
      if (command === 'export') refuseShort(loaded.directory[dataset]);
      return result;
    },
    { action: `${dataset}.${command}`, details },
  );
}

/** @param lossesBy says what records take away of what guides use. */
async function transfer<R, C extends string>(
  typed: Typed,
  dataset: Dataset<R, C>,
  lossesBy: (records: R[]) => Losses,
): Promise<CommandResult> {
  const path = typed.path && typedPath(typed.path);
  if (typed.command === 'export') {
    await exportCsv(path, dataset);
    return { text: '', details: { rows: dataset.loaded.length } };
  }
  const { records, changes } = await readCsv(path ?? '', dataset);
  const { texts: warnings, areLarge } = lossesBy(records);
  const areRead = areLarge && !typed.dryRun && (await acceptWarnings(warnings.join('\n'), typed.yes));
  if (!typed.dryRun) await replaceDataset(dataset, records).catch(explainChanged);
  const done = typed.dryRun ? 'Prueba, no se cambio nada' : 'Cargado';
  const rows = records.length;
  const { added, changed, removed } = changes;
  const text = `${done}. Filas: ${rows}. Altas: ${added}, cambios: ${changed}, bajas: ${removed}.`;
  return { text: areRead ? text : [...warnings, text].join('\n'), details: { rows, ...changes } };
}

/** @throws Error if rows of the load are missing, so that a script does not take what is left for a backup. */
function refuseShort(stored: Directory[DatasetName]): void {
  if (!stored || !isShort(stored)) return;
  const { found, rows = 'al menos 1' } = stored;
  throw new Error(
    `La exportacion esta incompleta: la base de datos tiene ${found} de ${rows} filas cargadas. Restaurela, o cargue el archivo completo`,
  );
}

function branchesOf(store: BranchStore, { version, branches: loaded }: Snapshot) {
  return { table: branchTable, loaded, version, load: store.loadBranches.bind(store) };
}

function coverageOf(store: BranchStore, { version, branches, coverage: loaded }: Snapshot) {
  const table = coverageTable(new Set(branches.map(({ Codigo }) => Codigo)));
  return { table, loaded, version, load: store.loadCoverage.bind(store) };
}

function explainChanged(cause: unknown): never {
  if (!(cause instanceof DomainError && cause.code === 'directory-changed')) throw cause;
  throw new Error('Alguien cargo sucursales o cobertura mientras tanto: no se hizo nada, repita el comando', {
    cause,
  });
}
