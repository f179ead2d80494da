import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import { operatorOf } from '#shared/audit/record-command.ts';
import type { PostalCode } from '#shared/branches/postal-code.ts';
import {
  type CatalogueEntry,
  countColonias,
  PostalCodeStore,
  type PostalCodes,
} from '#shared/branches/postal-code-store.ts';
import { namingFile } from '#shared/commands/csv.ts';
import { type Run, typedPath } from '#shared/commands/run-command-line.ts';
import { progressLine } from '#shared/commands/terminal.ts';
import { acceptWarnings, addYes } from '#shared/commands/warnings.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { readPostalCodes } from './postal-code-file.ts';

/** A file with fewer states is probably the download of only some. */
const STATES = 32;
/** Share of what is in force, below which a file probably lacks a part. */
const FAR_FEWER = 0.9;

/** Adds `postal-codes` with its commands `import`, `status` and `withdraw`. */
export function addPostalCodeCommands(program: Command, run: Run): void {
  const commands = program
    .command('postal-codes')
    .description('import, status y withdraw del catalogo nacional de codigos postales (CPdescarga.txt)')
    .helpCommand(false);
  const load = commands
    .command('import')
    .argument('<archivo>', 'CPdescarga.txt, como lo da Correos de Mexico, con todos los estados')
    .description('reemplaza el catalogo por el archivo, si no tiene errores; pregunta si tiene avisos')
    .option('--dry-run', 'solo revisa y dice que cambiaria');
  addYes(load).action((path: string, { dryRun = false, yes = false }: Partial<ImportOptions>) => {
    const details = { file: basename(path), ...(dryRun && { dryRun }), ...(yes && { yes }) };
    return run((mongo) => importCatalogue(mongo, typedPath(path), { dryRun, yes }), {
      action: 'postal-codes.import',
      details,
    });
  });
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

type ImportOptions = { dryRun: boolean; yes: boolean };

async function importCatalogue(
  mongo: Connection,
  path: string,
  { dryRun, yes }: ImportOptions,
): Promise<{ text: string; details: Record<string, number> }> {
  const store = new PostalCodeStore(mongo);
  const newest = await store.newest();
  const codes = await readFile(path);
  const before = newest?.catalogue ? await store.read(newest._id) : undefined;
  const warnings = warningsOf(codes, newest).map((warning) => `Aviso: ${warning}`);
  const areRead = warnings.length > 0 && !dryRun && (await acceptWarnings(warnings.join('\n'), yes));
  if (!dryRun) {
    await store.replace(newest?._id ?? 0, codes, operatorOf(process.env).actor).catch(explainChanged);
  }
  const { added, changed, removed } = compare(before ?? new Map(), codes);
  const done = dryRun ? 'Prueba, no se cambio nada' : 'Cargado';
  const colonias = countColonias(codes);
  const counts = `Codigos postales: ${codes.length}, colonias: ${colonias}`;
  const text = `${done}. ${counts}. Altas: ${added}, cambios: ${changed}, bajas: ${removed}.`;
  return {
    text: areRead ? text : [...warnings, text].join('\n'),
    details: { codes: codes.length, colonias, added, changed, removed },
  };
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

/** Says what is probably a mistake: a file that lacks states, or has far less than the catalogue in force. */
function warningsOf(codes: readonly PostalCode[], newest: CatalogueEntry | undefined): string[] {
  const states = new Set(codes.map(({ Estado }) => Estado)).size;
  const { codes: formerCodes = 0, colonias: formerColonias = 0 } = newest?.catalogue ?? {};
  const fewer = (count: number, former: number, what: string) =>
    count < former * FAR_FEWER
      ? [`el archivo tiene ${count} ${what}, y el catalogo en vigor ${former}: ¿esta completo?`]
      : [];
  return [
    ...(states < STATES ? [`el archivo tiene ${states} de ${STATES} estados: ¿los descargo todos?`] : []),
    ...fewer(codes.length, formerCodes, 'codigos postales'),
    ...fewer(countColonias(codes), formerColonias, 'colonias'),
  ];
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
  const { at, by, catalogue } = entry;
  const when = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC por ${by}`;
  if (!catalogue) return `No hay un catalogo de codigos postales: se retiro el ${when}`;
  return `Codigos postales: ${catalogue.codes}, colonias: ${catalogue.colonias}. Cargado el ${when}`;
}

function compare(before: PostalCodes, codes: readonly PostalCode[]) {
  let added = 0;
  let changed = 0;
  for (const code of codes) {
    const former = before.get(code.CodigoPostal);
    if (!former) added++;
    else if (!isDeepStrictEqual(former, code)) changed++;
  }
  return { added, changed, removed: before.size - (codes.length - added) };
}

function explainChanged(cause: unknown): never {
  if (!(cause instanceof DomainError && cause.code === 'catalogue-changed')) throw cause;
  throw new Error('Alguien cargo o retiro el catalogo mientras tanto: no se hizo nada, repita el comando', {
    cause,
  });
}
