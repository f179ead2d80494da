import { basename } from 'node:path';
import type { Command } from 'commander';
import type { CommandResult } from '#shared/audit/record-command.ts';
import type { Branch } from '#shared/branches/branch.ts';
import { BranchStore, type Snapshot } from '#shared/branches/branch-store.ts';
import { type Run, runCommandLine, typedPath } from '#shared/commands/run-command-line.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { branchTable, columnsOf, coverageTable } from './csv-columns.ts';
import { type Dataset, exportCsv, importCsv } from './csv-files.ts';
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
  | { command: 'import'; dryRun: boolean }
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
  program
    .command('import')
    .argument('<archivo>')
    .description(`reemplaza ${what} por lo que dice el archivo, si todas sus lineas estan bien`)
    .option('--dry-run', 'solo revisa y dice que cambiaria')
    .action((path: string, { dryRun = false }: { dryRun?: boolean }) =>
      perform(run, { dataset, command: 'import', path, dryRun }),
    );
  program
    .command('export')
    .argument('[archivo]')
    .description(`escribe ${what} en el mismo formato; sin archivo, en la salida estandar`)
    .action((path: string | undefined) => perform(run, { dataset, command: 'export', path }));
}

function perform(run: Run, typed: Typed): Promise<void> {
  const { dataset, command, path } = typed;
  const dryRun = command === 'import' && typed.dryRun;
  const details = { ...(path && { file: basename(path) }), ...(dryRun && { dryRun }) };
  return run(
    async (mongo) => {
      const store = new BranchStore(mongo);
      const loaded = await store.snapshot();
      return dataset === 'branches'
        ? transfer(typed, branchesOf(store, loaded), (branches) => warnOfCoverage(branches, loaded))
        : transfer(typed, coverageOf(store, loaded));
    },
    { action: `${dataset}.${command}`, details },
  );
}

/** @param warn reports suspicious records that are accepted. */
async function transfer<R, C extends string>(
  typed: Typed,
  dataset: Dataset<R, C>,
  warn: (records: readonly R[]) => void = () => {},
): Promise<CommandResult> {
  const path = typed.path && typedPath(typed.path);
  if (typed.command === 'export') {
    await exportCsv(path, dataset);
    return { text: '', details: { rows: dataset.loaded.length } };
  }
  const { records, changes } = await importCsv(path ?? '', dataset, typed).catch(explainOvertaken);
  warn(records);
  const done = typed.dryRun ? 'Prueba, no se cambio nada' : 'Cargado';
  const rows = records.length;
  const { added, changed, removed } = changes;
  const text = `${done}. Filas: ${rows}. Altas: ${added}, cambios: ${changed}, bajas: ${removed}.`;
  return { text, details: { rows, ...changes } };
}

function branchesOf(store: BranchStore, { branches: loaded }: Snapshot) {
  return { table: branchTable, loaded, load: store.loadBranches.bind(store) };
}

function coverageOf(store: BranchStore, { branches, coverage: loaded }: Snapshot) {
  const table = coverageTable(new Set(branches.map(({ Codigo }) => Codigo)));
  return { table, loaded, load: store.loadCoverage.bind(store) };
}

function warnOfCoverage(branches: readonly Branch[], { coverage }: Snapshot): void {
  const codes = new Set(branches.map(({ Codigo }) => Codigo));
  const lost = coverage.filter(({ code }) => !codes.has(code)).length;
  if (lost === 0) return;
  process.stderr.write(
    `Aviso: codigos postales sin cobertura, porque su sucursal no esta en el archivo: ${lost}\n`,
  );
}

function explainOvertaken(cause: unknown): never {
  if (!(cause instanceof DomainError && cause.code === 'overtaken')) throw cause;
  throw new Error('Otra carga que empezo despues ya esta en vigor; esta no se aplico', { cause });
}
