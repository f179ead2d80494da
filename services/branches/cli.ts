import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { Type } from 'typebox';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import type { Branch } from '#shared/contracts/branch.ts';
import { DomainError } from '#shared/errors.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { branchTable, columnsOf, coverageTable, readTable, type Table } from './csv/csv-columns.ts';
import { csvText } from './csv/csv-file.ts';
import { progressLine } from './csv/progress-line.ts';
import { BranchStore, type Coverage, type OnProgress, type Snapshot } from './store/branch-store.ts';

/**
 * `npm run branches -- …` and `npm run coverage -- …`: branches and coverage from and to CSV files, each as a
 * whole. Exit code 0 done, 1 refused or failed, 2 wrong usage.
 */

/** What a command works on; `loaded` is in force now. */
type Subject<R, C extends string> = {
  table: Table<R, C>;
  loaded: readonly R[];
  load(records: readonly R[], onProgress: OnProgress): Promise<void>;
  /** What the operator should know about records that are right. */
  warning(records: readonly R[]): string | undefined;
};
type Options = { command: 'import' | 'export'; path: string | undefined; dryRun: boolean };

class UsageError extends Error {}

const FILES: Readonly<Record<string, string>> = { branches: 'sucursales.csv', coverage: 'cobertura.csv' };

async function run([name = '', ...args]: string[]): Promise<void> {
  if (!FILES[name]) throw new UsageError('Uso: node services/branches/cli.ts branches|coverage …');
  const options = parseOptions(name, args);
  if (options === 'help') return say(helpText(name));
  const { MONGODB_URI } = loadConfig(Type.Object(mongoSettings), process.env);
  const mongo = await connectMongo(MONGODB_URI, createLogger('load-csv', 'silent'));
  try {
    const store = new BranchStore(mongo);
    const snapshot = await store.snapshot();
    if (name === 'branches') await perform(options, branches(store, snapshot));
    else await perform(options, coverage(store, snapshot));
  } finally {
    await mongo.close();
  }
}

function parseOptions(name: string, args: string[]): Options | 'help' {
  const usage = new UsageError(`Uso incorrecto. Vea npm run ${name} -- --help`);
  const parsed = parseFlags(args);
  if (parsed?.values.help) return 'help';
  const [command, path, ...rest] = parsed?.positionals ?? [];
  const dryRun = parsed?.values['dry-run'] ?? false;
  if (rest.length > 0) throw usage;
  if (command === 'import' && path !== undefined) return { command, path, dryRun };
  if (command === 'export' && !dryRun) return { command, path, dryRun };
  throw usage;
}

/** @returns undefined for unknown flags. */
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

function branches(store: BranchStore, snapshot: Snapshot): Subject<Branch, keyof Branch> {
  return {
    table: branchTable,
    loaded: snapshot.branches,
    load: (records, onProgress) => store.loadBranches(records, onProgress),
    warning: (records) => {
      const codes = new Set(records.map(({ Codigo }) => Codigo));
      const lost = snapshot.coverage.filter(({ code }) => !codes.has(code)).length;
      return lost === 0
        ? undefined
        : `Aviso: codigos postales sin cobertura, porque su sucursal no esta en el archivo: ${lost}`;
    },
  };
}

function coverage(store: BranchStore, snapshot: Snapshot): Subject<Coverage, 'CodigoPostal' | 'Sucursal'> {
  return {
    table: coverageTable(new Set(snapshot.branches.map(({ Codigo }) => Codigo))),
    loaded: snapshot.coverage,
    load: (records, onProgress) => store.loadCoverage(records, onProgress),
    warning: () => undefined,
  };
}

async function perform<R, C extends string>(options: Options, subject: Subject<R, C>): Promise<void> {
  // npm runs a script in the package's folder; the path was typed in another one.
  const path = options.path && resolve(process.env.INIT_CWD ?? '.', options.path);
  if (options.command === 'export') await exportTo(path, subject);
  else await importFrom(path ?? '', subject, options.dryRun);
}

async function exportTo<R, C extends string>(
  path: string | undefined,
  { table, loaded }: Subject<R, C>,
): Promise<void> {
  const rows = loaded.map(table.toCells).sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  const text = csvText(columnsOf(table), rows);
  if (path) await writeFile(path, text);
  else await pipeline([text], process.stdout); // unlike a plain write, it also notices a reader that went away
}

async function importFrom<R, C extends string>(
  path: string,
  { table, loaded, load, warning }: Subject<R, C>,
  dryRun: boolean,
): Promise<void> {
  const progress = progressLine();
  try {
    const records = await readTable(path, table, (rows) => progress.show(`Revisadas: ${rows}`));
    const changes = compare(table, loaded, records);
    if (!dryRun) await load(records, (rows) => progress.show(`Guardadas: ${rows} de ${records.length}`));
    progress.clear();
    const warned = warning(records);
    if (warned) complain(warned);
    say(`${dryRun ? 'Prueba, no se cambio nada' : 'Cargado'}. Filas: ${records.length}. ${changes}`);
  } catch (error) {
    progress.clear();
    throw error;
  }
}

/** How many records a load adds, changes and removes. */
function compare<R>(table: Table<R>, loaded: readonly R[], records: readonly R[]): string {
  const before = new Map(loaded.map((record) => [table.key(record), table.toCells(record).join('\n')]));
  let added = 0;
  let changed = 0;
  for (const record of records) {
    const old = before.get(table.key(record));
    if (old === undefined) added++;
    else if (old !== table.toCells(record).join('\n')) changed++;
  }
  const removed = before.size - (records.length - added);
  return `Altas: ${added}, cambios: ${changed}, bajas: ${removed}.`;
}

function helpText(name: string): string {
  const file = FILES[name];
  const columns = name === 'branches' ? columnsOf(branchTable) : columnsOf(coverageTable(new Set()));
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

/** Says on standard error what went wrong. @returns the exit code. */
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
