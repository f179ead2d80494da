import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import { type CommandResult, operatorOf } from '#shared/audit/record-command.ts';
import type { PostalCode } from '#shared/branches/postal-code.ts';
import { type CatalogueEntry, countColonias, PostalCodeStore } from '#shared/branches/postal-code-store.ts';
import { namingFile } from '#shared/commands/csv.ts';
import { type Run, typedPath } from '#shared/commands/run-command-line.ts';
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
import { differenceOf, type Table } from '#shared/loads/difference.ts';
import { readPostalCodes } from './postal-code-file.ts';

/** A file with fewer states is probably the download of only some. */
const STATES = 32;
const TABLE: Table<PostalCode> = {
  name: 'codigos postales',
  columns: ['CodigoPostal', 'Estado', 'Municipio', 'Ciudad', 'Colonias'],
  keys: 1,
  cells: ({ CodigoPostal, Estado, Municipio, Ciudad, Colonias }) => [
    ...[CodigoPostal, Estado, Municipio, Ciudad],
    // A long list is cut, and its length still shows that it differs.
    `${Colonias.length}: ${Colonias.join('; ')}`,
  ],
};

/** Adds `postal-codes` with its commands `import`, `restore`, `status` and `withdraw`. */
export function addPostalCodeCommands(program: Command, run: Run): void {
  const commands = program
    .command('postal-codes')
    .description(
      'import, restore, status y withdraw del catalogo nacional de codigos postales (CPdescarga.txt)',
    )
    .helpCommand(false);
  const load = commands
    .command('import')
    .argument('<archivo>', 'CPdescarga.txt, como lo da Correos de Mexico, con todos los estados')
    .description(`reemplaza el catalogo por el archivo, si no tiene errores; ${ASKS}, o si faltan estados`);
  addLoadOptions(load).action((path: string, options: LoadOptions) =>
    run(
      async (mongo) => {
        const store = new PostalCodeStore(mongo);
        const newest = await store.newest();
        const codes = await readFile(typedPath(path));
        return replaceCatalogue({ store, newest }, { codes, done: 'Cargado' }, options);
      },
      { action: 'postal-codes.import', details: { file: basename(path), ...typedOptions(options) } },
    ),
  );
  const restore = commands
    .command('restore')
    .description(
      `regresa al catalogo de antes de la ultima carga; otro restore lo deshace; tras withdraw ya no lo hay; ${ASKS}`,
    );
  addLoadOptions(restore).action((options: LoadOptions) =>
    run((mongo) => restoreCatalogue(new PostalCodeStore(mongo), options), {
      action: 'postal-codes.restore',
      details: typedOptions(options),
    }),
  );
  commands
    .command('status')
    .description('que catalogo esta en vigor, desde cuando y quien lo cargo')
    .action(() =>
      run(async (mongo) => ({ text: describeEntry(await new PostalCodeStore(mongo).newest()) }), {
        action: 'postal-codes.status',
      }),
    );
  commands
    .command('withdraw')
    .description('quita el catalogo: la API deja de mostrarlo y de advertir con el')
    .action(() => run(withdrawCatalogue, { action: 'postal-codes.withdraw' }));
}

async function restoreCatalogue(store: PostalCodeStore, options: LoadOptions): Promise<CommandResult> {
  const newest = await store.newest();
  const former = newest && (await store.newest(newest._id));
  const codes = former?.catalogue && (await store.read(former._id));
  if (!codes) throw new Error('No hay un catalogo anterior al que esta en vigor');
  const origin = `, cargado${describeOrigin(former)}`;
  const wanted = { codes: [...codes.values()], done: 'Restaurado', origin, restored: former._id } as const;
  return replaceCatalogue({ store, newest }, wanted, options);
}

/** Compares postal codes with the newest entry, and replaces that. */
async function replaceCatalogue(
  { store, newest }: { store: PostalCodeStore; newest: CatalogueEntry | undefined },
  {
    codes,
    done,
    origin = '',
    restored,
  }: { codes: readonly PostalCode[]; done: Load['done']; origin?: string; restored?: number },
  options: LoadOptions,
): Promise<CommandResult> {
  const before = newest?.catalogue && (await store.read(newest._id));
  const states = new Set(codes.map(({ Estado }) => Estado)).size;
  const colonias = countColonias(codes);
  const replace = () =>
    store.replace(newest?._id ?? 0, codes, operatorOf(process.env).actor).catch(explainChanged);
  const load: Load = {
    differences: [differenceOf(TABLE, before?.values() ?? [], codes)],
    warnings:
      states < STATES ? [`Aviso: el catalogo tendria ${states} de ${STATES} estados: ¿son todos?`] : [],
    size: `Codigos postales: ${codes.length}, colonias: ${colonias}${origin}.`,
    details: { codes: codes.length, colonias, ...(restored !== undefined && { restored }) },
    done,
    version: newest?._id ?? 0,
    store: async () => ({ details: { version: await replace() } }),
  };
  return carryOut(load, options);
}

/** Reads and checks a file, with the progress on standard error. */
async function readFile(path: string): Promise<PostalCode[]> {
  const progress = progressLine();
  try {
    const onProgress = (rows: number) => progress.show(`Revisadas: ${rows}`);
    return await namingFile(path, () => readPostalCodes(path, onProgress));
  } finally {
    progress.clear();
  }
}

async function withdrawCatalogue(mongo: Connection): Promise<{ text: string }> {
  const store = new PostalCodeStore(mongo);
  const newest = await store.newest();
  if (newest === undefined) return { text: describeEntry(newest) };
  await store.withdraw(newest._id, operatorOf(process.env).actor).catch(explainChanged);
  return { text: newest.catalogue ? 'Catalogo retirado' : 'El catalogo ya estaba retirado' };
}

function describeEntry(entry: CatalogueEntry | undefined): string {
  if (!entry) return 'No hay un catalogo de codigos postales';
  const { catalogue } = entry;
  const when = describeOrigin(entry);
  if (!catalogue) return `No hay un catalogo de codigos postales: se retiro${when}`;
  return `Codigos postales: ${catalogue.codes}, colonias: ${catalogue.colonias}. Cargado${when}`;
}

function explainChanged(cause: unknown): never {
  if (!(cause instanceof DomainError && cause.code === 'catalogue-changed')) throw cause;
  throw new Error('Alguien cargo o retiro el catalogo mientras tanto: no se hizo nada, repita el comando', {
    cause,
  });
}
