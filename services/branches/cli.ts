import { basename, resolve } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { Type } from 'typebox';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { type CommandResult, recordCommand } from '#shared/audit/record-command.ts';
import { explainUsage, isHelp, spanishCommand } from '#shared/commands/terminal.ts';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import type { Branch } from '#shared/contracts/branch.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { BranchStore, type Snapshot } from './branch-store.ts';
import { branchTable, columnsOf, coverageTable } from './csv-columns.ts';
import { type Dataset, exportCsv, importCsv } from './csv-files.ts';

/**
 * `npm run branches -- …`: import and export of branches and of their coverage as CSV files, each as a whole. Exit code
 * 0: done, 1: refused or failed, 2: wrong usage.
 */

/** As it is typed. */
const NAME = 'npm run branches --';
const HELP = `
El archivo es CSV en UTF-8, separado por , o ; con uno de estos encabezados:
  sucursales  ${columnsOf(branchTable).join(',')}
  cobertura   ${columnsOf(coverageTable(new Set())).join(',')}

Ejemplos:
  ${NAME} import sucursales.csv --dry-run
  ${NAME} import sucursales.csv
  ${NAME} coverage import cobertura.csv
  npm run --silent branches -- coverage export > cobertura.csv`;

type DatasetName = 'branches' | 'coverage';
/** What was typed; an export without a file goes to standard output. */
type Typed = { dataset: DatasetName; path: string | undefined } & (
  | { command: 'import'; dryRun: boolean }
  | { command: 'export' }
);

if (import.meta.main) process.exitCode = await run(process.argv);

/** Runs a command. @returns the exit code. */
export async function run(argv: string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv);
    return 0;
  } catch (error) {
    if (isHelp(error)) return 0;
    process.stderr.write(`${explain(error)}\n`);
    return error instanceof CommanderError || error instanceof ConfigError ? 2 : 1;
  }
}

function createProgram(): Command {
  const program = spanishCommand(NAME)
    .description('Carga las sucursales y su cobertura de archivos CSV. Lee MONGODB_URI del entorno.')
    .addHelpText('after', HELP);
  addCommands(program, 'branches', 'las sucursales');
  const coverage = program
    .command('coverage')
    .description('import y export de la cobertura: que sucursal entrega en cada codigo postal')
    .helpCommand(false);
  addCommands(coverage, 'coverage', 'la cobertura');
  return program;
}

function addCommands(program: Command, dataset: DatasetName, what: string): void {
  program
    .command('import')
    .argument('<archivo>')
    .description(`reemplaza ${what} por lo que dice el archivo, si todas sus lineas estan bien`)
    .option('--dry-run', 'solo revisa y dice que cambiaria')
    .action((path: string, { dryRun = false }: { dryRun?: boolean }) =>
      perform({ dataset, command: 'import', path, dryRun }),
    );
  program
    .command('export')
    .argument('[archivo]')
    .description(`escribe ${what} en el mismo formato; sin archivo, en la salida estandar`)
    .action((path: string | undefined) => perform({ dataset, command: 'export', path }));
}

/** Runs a command, records it in the audit trail, and then prints how it ended. */
async function perform(typed: Typed): Promise<void> {
  const { MONGODB_URI } = loadConfig(Type.Object(mongoSettings), process.env);
  const mongo = await connectMongo(MONGODB_URI, createLogger('branches-cli', 'silent'));
  try {
    const { dataset, command, path } = typed;
    const dryRun = command === 'import' && typed.dryRun;
    const details = { ...(path && { file: basename(path) }), ...(dryRun && { dryRun }) };
    const event = {
      service: 'branches',
      action: `${dataset}.${command}`,
      details,
      env: process.env,
    } as const;
    const text = await recordCommand(new AuditStore(mongo), event, async () => {
      const store = new BranchStore(mongo);
      const loaded = await store.snapshot();
      return dataset === 'branches'
        ? transfer(typed, branchesOf(store, loaded), (branches) => warnOfCoverage(branches, loaded))
        : transfer(typed, coverageOf(store, loaded));
    });
    if (text) process.stdout.write(`${text}\n`);
  } finally {
    await mongo.close();
  }
}

/** @param warn says what the operator should know about records that are right. */
async function transfer<R, C extends string>(
  typed: Typed,
  dataset: Dataset<R, C>,
  warn: (records: readonly R[]) => void = () => {},
): Promise<CommandResult> {
  // npm runs a script in the package's folder; the path was typed in another one.
  const path = typed.path && resolve(process.env.INIT_CWD ?? '.', typed.path);
  if (typed.command === 'export') {
    await exportCsv(path, dataset);
    return { text: '', details: { rows: dataset.loaded.length } };
  }
  const { records, changes } = await importCsv(path ?? '', dataset, typed);
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

/** Says what went wrong, for the operator. */
function explain(error: unknown): string {
  if (error instanceof CommanderError) return explainUsage(error, NAME);
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof DomainError && error.code === 'overtaken') {
    return 'Otra carga que empezo despues ya esta en vigor; esta no se aplico';
  }
  if (syscall) return `No se puede leer o escribir el archivo (${code})`;
  if (isTransientError(error)) return 'La base de datos de MONGODB_URI no responde, intente de nuevo';
  return message;
}
