import { basename } from 'node:path';
import type { Command } from 'commander';
import { type CommandResult, operatorOf } from '#shared/audit/record-command.ts';
import type { Branch } from '#shared/branches/branch.ts';
import {
  BranchStore,
  type Coverage,
  isShort,
  type Kind,
  type Snapshot,
  type Dataset as Stored,
  type LoadOptions as StoreOptions,
} from '#shared/branches/branch-store.ts';
import { type Run, runCommandLine, typedPath } from '#shared/commands/run-command-line.ts';
import { progressLine } from '#shared/commands/terminal.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import {
  ASKS,
  addLoadOptions,
  carryOut,
  describeOrigin,
  type Load,
  type LoadOptions,
  typedOptions,
} from '#shared/loads/carry-out.ts';
import { differenceOf } from '#shared/loads/difference.ts';
import { branchTable, type CsvTable, columnsOf, coverageTable } from './csv-columns.ts';
import { exportCsv, readCsv, requireFit } from './csv-files.ts';
import { addPostalCodeCommands } from './postal-code-commands.ts';
import { compareUses } from './uses.ts';

/** `npm run branches`: loads, restores and exports branches and coverage, and loads the catalogue of postal codes. */

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

/** One of the two datasets. `what`: its name with the article. */
type Dataset<R> = {
  kind: Kind;
  name: string;
  what: string;
  rowsOf: (loaded: Snapshot) => R[];
  /** @param loaded decides on what rows may refer to. */
  tableFor: (loaded: Snapshot) => CsvTable<R, string>;
  replace: (store: BranchStore, rows: readonly R[], options: StoreOptions) => Promise<string>;
};
const BRANCHES: Dataset<Branch> = {
  ...{ kind: 'branches', name: 'sucursales', what: 'las sucursales' },
  rowsOf: ({ branches }) => branches,
  tableFor: () => branchTable,
  replace: (store, rows, options) => store.loadBranches(rows, options),
};
const COVERAGE: Dataset<Coverage> = {
  ...{ kind: 'coverage', name: 'cobertura', what: 'la cobertura' },
  rowsOf: ({ coverage }) => coverage,
  tableFor: ({ branches }) => coverageTable(new Set(branches.map(({ Codigo }) => Codigo))),
  replace: (store, rows, options) => store.loadCoverage(rows, options),
};

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
        addCommands(program, run, BRANCHES);
        const coverage = program
          .command('coverage')
          .description('import, restore y export de la cobertura: que sucursal entrega en cada codigo postal')
          .helpCommand(false);
        addCommands(coverage, run, COVERAGE);
        addPostalCodeCommands(program, run);
      },
    },
    argv,
  );
}

function addCommands<R>(program: Command, run: Run, dataset: Dataset<R>): void {
  const { kind, what, tableFor } = dataset;
  const load = program
    .command('import')
    .argument('<archivo>')
    .description(`reemplaza ${what} por lo que dice el archivo, si todas sus lineas estan bien; ${ASKS}`);
  addLoadOptions(load).action((path: string, options: LoadOptions) => {
    const read = async (loaded: Snapshot) => ({ rows: await readCsv(typedPath(path), tableFor(loaded)) });
    return run((mongo) => replaceRows(new BranchStore(mongo), dataset, { done: 'Cargado', read }, options), {
      action: `${kind}.import`,
      details: { file: basename(path), ...typedOptions(options) },
    });
  });
  const restore = program
    .command('restore')
    .description(`regresa a ${what} de antes de la ultima carga; otro restore lo deshace; ${ASKS}`);
  addLoadOptions(restore).action((options: LoadOptions) => {
    const former: Reading<R> = { done: 'Restaurado', read: readFormer(dataset) };
    return run((mongo) => replaceRows(new BranchStore(mongo), dataset, former, options), {
      action: `${kind}.restore`,
      details: typedOptions(options),
    });
  });
  program
    .command('export')
    .argument('[archivo]')
    .description(`escribe ${what} en el mismo formato; sin archivo, en la salida estandar`)
    .action((path: string | undefined) =>
      run((mongo) => exportRows(new BranchStore(mongo), dataset, path), {
        action: `${kind}.export`,
        details: { ...(path && { file: basename(path) }) },
      }),
    );
}

/** How the rows of a load are found. `origin`: when they were loaded before, and by whom, in words. */
type Reading<R> = {
  done: Load['done'];
  read: (
    loaded: Snapshot,
    store: BranchStore,
  ) => Promise<{ rows: readonly R[]; origin?: string; details?: Load['details'] }>;
};

/** Reads the load before. It throws if that lacks rows, or refers to what is no longer loaded. */
function readFormer<R>({ kind, what, rowsOf, tableFor }: Dataset<R>): Reading<R>['read'] {
  return async (loaded, store) => {
    const former = await store.former(kind);
    const stored = former?.directory[kind];
    if (!former || !stored) throw new Error(`No hay una carga de ${what} antes de la que esta en vigor`);
    refuseShort(stored, 'La carga anterior esta incompleta', 'Cargue el archivo completo');
    const rows = rowsOf(former);
    requireFit(tableFor(loaded), rows);
    const details = { restored: former.version };
    return { rows, origin: `, cargadas${describeOrigin(stored)}`, details };
  };
}

/** Compares rows with those that are loaded, also by what guides use of the directory, and replaces these. */
async function replaceRows<R>(
  store: BranchStore,
  { kind, name, rowsOf, tableFor, replace }: Dataset<R>,
  { done, read }: Reading<R>,
  options: LoadOptions,
): Promise<CommandResult> {
  const loaded = await store.snapshot();
  const { rows, origin = '', details } = await read(loaded, store);
  const csv = tableFor(loaded);
  const table = { name, columns: columnsOf(csv), keys: 1, cells: csv.toCells };
  const stored = loaded.directory[kind];
  const progress = progressLine();
  const onProgress = (written: number) => progress.show(`Guardadas: ${written} de ${rows.length}`);
  const over = { comparedWith: loaded.version, by: operatorOf(process.env).actor, onProgress };
  const load: Load = {
    done,
    size: `Filas: ${rows.length}${origin}.`,
    differences: [differenceOf(table, rowsOf(loaded), rows)],
    uses: compareUses(loaded, { ...loaded, [kind]: rows }),
    details: { rows: rows.length, ...details },
    version: loaded.version,
    // Lost rows come back, and a release before 1.8.1 has not counted them.
    storesMore: stored?.found !== stored?.rows,
    store: async () => {
      const loading = replace(store, rows, over).catch(explainChanged);
      return { details: { version: await loading.finally(() => progress.clear()) } };
    },
  };
  return carryOut(load, options);
}

async function exportRows<R>(
  store: BranchStore,
  { kind, rowsOf, tableFor }: Dataset<R>,
  path: string | undefined,
): Promise<CommandResult> {
  const loaded = await store.snapshot();
  const rows = rowsOf(loaded);
  await exportCsv(path && typedPath(path), tableFor(loaded), rows);
  // So that a script does not take what is left for a backup.
  const then = 'Restaurela, o cargue el archivo completo';
  refuseShort(loaded.directory[kind], 'La exportacion esta incompleta', then);
  return { text: '', details: { rows: rows.length } };
}

/** @throws Error if rows of a load are missing. */
function refuseShort(stored: Stored | undefined, what: string, then: string): void {
  if (!stored || !isShort(stored)) return;
  const { found, rows = 'al menos 1' } = stored;
  throw new Error(`${what}: la base de datos tiene ${found} de ${rows} filas cargadas. ${then}`);
}

function explainChanged(cause: unknown): never {
  if (!(cause instanceof DomainError && cause.code === 'directory-changed')) throw cause;
  throw new Error('Alguien cargo sucursales o cobertura mientras tanto: no se hizo nada, repita el comando', {
    cause,
  });
}
