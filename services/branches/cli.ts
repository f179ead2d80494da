import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Type } from 'typebox';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { recordCommand } from '#shared/audit/record-command.ts';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import { DomainError } from '#shared/errors.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { branchTable, columnsOf, coverageTable } from './csv/csv-columns.ts';
import { branchDataset, coverageDataset, type Dataset } from './csv/datasets.ts';
import { exportCsv } from './csv/export-csv.ts';
import { importCsv } from './csv/import-csv.ts';
import { BranchStore } from './store/branch-store.ts';

/**
 * `npm run branches -- …` and `npm run coverage -- …`: import and export of branches and coverage as CSV files, each as
 * a whole. Exit code 0: done, 1: refused or failed, 2: wrong usage.
 */

type DatasetName = keyof typeof DATASETS;
type Options = { command: 'import' | 'export'; path: string | undefined; dryRun: boolean };

class UsageError extends Error {}

const DATASETS = {
  branches: { file: 'sucursales.csv', columns: columnsOf(branchTable) },
  coverage: { file: 'cobertura.csv', columns: columnsOf(coverageTable(new Set())) },
} as const;

async function run([name = '', ...args]: string[]): Promise<void> {
  if (!isDatasetName(name)) throw new UsageError('Uso: node services/branches/cli.ts branches|coverage …');
  const options = parseOptions(name, args);
  if (options === 'help') return say(helpText(name));
  const { MONGODB_URI } = loadConfig(Type.Object(mongoSettings), process.env);
  const mongo = await connectMongo(MONGODB_URI, createLogger('branches-cli', 'silent'));
  try {
    const { command, path, dryRun } = options;
    const details = { ...(path && { file: basename(path) }), ...(dryRun && { dryRun }) };
    const event = { service: 'branches', action: `${name}.${command}`, details, env: process.env } as const;
    const text = await recordCommand(new AuditStore(mongo), event, async () => {
      const store = new BranchStore(mongo);
      const snapshot = await store.snapshot();
      if (name === 'branches') return perform(options, branchDataset(store, snapshot));
      return perform(options, coverageDataset(store, snapshot));
    });
    if (text) say(text);
  } finally {
    await mongo.close();
  }
}

function isDatasetName(name: string): name is DatasetName {
  return Object.hasOwn(DATASETS, name);
}

/** Runs the command. @returns what the operator reads, and what the audit trail keeps. */
async function perform<R, C extends string>(options: Options, dataset: Dataset<R, C>) {
  const { command, dryRun } = options;
  // npm runs a script in the package's folder; the path was typed in another one.
  const path = options.path && resolve(process.env.INIT_CWD ?? '.', options.path);
  if (command === 'export') {
    await exportCsv(path, dataset);
    return { text: '', details: { rows: dataset.loaded.length } };
  }
  const { rows, changes, warning } = await importCsv(path ?? '', dataset, { dryRun });
  if (warning) complain(warning);
  const done = dryRun ? 'Prueba, no se cambio nada' : 'Cargado';
  const { added, changed, removed } = changes;
  const text = `${done}. Filas: ${rows}. Altas: ${added}, cambios: ${changed}, bajas: ${removed}.`;
  return { text, details: { rows, added, changed, removed } };
}

/** @throws UsageError */
function parseOptions(name: DatasetName, args: string[]): Options | 'help' {
  const parsed = parseFlags(args);
  if (parsed?.values.help) return 'help';
  const [command, path, ...rest] = parsed?.positionals ?? [];
  const dryRun = parsed?.values['dry-run'] ?? false;
  if (rest.length === 0) {
    if (command === 'import' && path !== undefined) return { command, path, dryRun };
    if (command === 'export' && !dryRun) return { command, path, dryRun };
  }
  throw new UsageError(`Uso incorrecto. Vea npm run ${name} -- --help`);
}

/** Returns undefined for unknown flags. */
function parseFlags(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, 'dry-run': { type: 'boolean' } },
    });
  } catch {
    return undefined;
  }
}

function helpText(name: DatasetName): string {
  const { file, columns } = DATASETS[name];
  return `Uso: npm run ${name} -- import <archivo> [--dry-run]
     npm run ${name} -- export [archivo]

  import     reemplaza todo por lo que dice el archivo, si todas sus lineas estan bien
  --dry-run  solo revisa y dice que cambiaria
  export     escribe lo cargado, en el mismo formato; sin archivo, en la salida estandar

Lee MONGODB_URI del entorno. El archivo es CSV en UTF-8, separado por , o ; con este encabezado:
${columns.join(',')}

Ejemplos:
  npm run ${name} -- import ${file} --dry-run
  npm run --silent ${name} -- export > ${file}`;
}

/** Says on standard error what went wrong, and returns the exit code. */
function explain(error: unknown): number {
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof UsageError || error instanceof ConfigError) return complain(message, 2);
  if (error instanceof DomainError && error.code === 'overtaken') {
    return complain('Otra carga que empezo despues ya esta en vigor; esta no se aplico');
  }
  if (syscall) return complain(`No se puede leer o escribir el archivo (${code})`);
  if (isTransientError(error))
    return complain('La base de datos de MONGODB_URI no responde, intente de nuevo');
  return complain(message);
}

function complain(text: string, exitCode = 1): number {
  process.stderr.write(`${text}\n`);
  return exitCode;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.exitCode = explain(error);
}
