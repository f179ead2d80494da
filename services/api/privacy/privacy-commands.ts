import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { CommandResult } from '#shared/audit/record-command.ts';
import { progressLine } from '#shared/terminal/progress-line.ts';
import { example } from '../accounts/commands.ts';
import { countGuides, erasePerson, exportPerson, type OnProgress } from './person-data.ts';
import { type PersonSearch, parseSearch, type SearchKind } from './person-search.ts';
import type { PersonalDataStore } from './personal-data-store.ts';

/** Longest wait for the operator's confirmation, in ms. */
const CONFIRM_TIMEOUT_MS = 120_000;
const AFTER_ERASURE =
  'Lo impreso sale de Redis en una hora a mas tardar. Las copias de seguridad aun lo tienen.';

/** Runs a privacy command and records it, without the person. `announce` records that it begins. */
export type RunPrivately = (
  command: { name: 'export' | 'erase'; by: SearchKind },
  use: (store: PersonalDataStore, announce: () => Promise<void>) => Promise<CommandResult>,
) => Promise<void>;

/** What a command is asked; `operatorFolder` is where the operator typed it, and relative paths begin. */
type Options = { phone?: string; email?: string; name?: string; output?: string; yes?: boolean };

/** Adds `privacy export` and `privacy erase`, for the rights of a person (docs/security.md "Personal data"). */
export function addPrivacyCommands(program: Command, run: RunPrivately, operatorFolder: string): void {
  const privacy = program
    .command('privacy')
    .description('Exporta o borra los datos de una persona en todas las guias (derechos ARCO).')
    .helpCommand(false);
  addSearch(privacy.command('export'), 'Escribe en JSON lo que las guias tienen de una persona.')
    .option('--output <archivo>', 'archivo nuevo, que solo usted puede leer; si falta, la salida estandar')
    .addHelpText('after', example('privacy export --phone 5512345678 --output persona.json'))
    .action((options: Options) => {
      const search = parseSearch(options);
      const path = options.output && resolve(operatorFolder, options.output);
      return run({ name: 'export', by: search.by }, (store, announce) =>
        withProgress((onProgress) => runExport(store, search, { path, announce, onProgress })),
      );
    });
  addSearch(privacy.command('erase'), 'Anonimiza a una persona en todas las guias. No se puede deshacer.')
    .option('--yes', 'no pide confirmacion')
    .addHelpText('after', example('privacy erase --email ana@ejemplo.mx'))
    .action((options: Options) => {
      const search = parseSearch(options);
      return run({ name: 'erase', by: search.by }, (store, announce) =>
        withProgress((onProgress) =>
          runErase(store, search, { confirmed: options.yes ?? false, announce, onProgress }),
        ),
      );
    });
}

function addSearch(command: Command, description: string): Command {
  return command
    .description(`${description} Revisa todas las guias: con un millon tarda minutos.`)
    .option('--phone <telefono>', 'se comparan los digitos, sin el 52 de Mexico')
    .option('--email <correo>', 'sin distinguir mayusculas')
    .option(
      '--name <nombre>',
      'completo, sin distinguir mayusculas ni acentos; puede ser de varias personas',
    );
}

type Work = { announce: () => Promise<void>; onProgress: OnProgress };

async function runExport(
  store: PersonalDataStore,
  search: PersonSearch,
  { path, announce, onProgress }: Work & { path: string | undefined },
): Promise<CommandResult> {
  await announce();
  let guides = 0;
  const output = path ? createWriteStream(path, { flags: 'wx', mode: 0o600 }) : process.stdout;
  await pipeline(async function* () {
    guides = yield* exportPerson(store, search, onProgress);
  }, output);
  return { text: path ? `Exportadas: ${guides} guias, en ${path}` : '', details: { guides } };
}

async function runErase(
  store: PersonalDataStore,
  search: PersonSearch,
  { confirmed, announce, onProgress }: Work & { confirmed: boolean },
): Promise<CommandResult> {
  if (!confirmed) await confirm(await countGuides(store, search, onProgress));
  await announce();
  const guides = await erasePerson(store, search, onProgress);
  return { text: `Anonimizadas: ${guides} guias. ${AFTER_ERASURE}`, details: { guides } };
}

/** Asks the operator. @throws Error unless the answer is `SI`. */
async function confirm(guides: number): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const question = `Se anonimizara a la persona en ${guides} guias, sin vuelta atras. Escriba SI para seguir: `;
    const signal = AbortSignal.timeout(CONFIRM_TIMEOUT_MS);
    const closed = new Promise<string>((done) => terminal.once('close', () => done('')));
    const answer = await Promise.race([terminal.question(question, { signal }).catch(() => ''), closed]);
    if (answer.trim().toUpperCase() !== 'SI') throw new Error('Cancelado: no se borro nada');
  } finally {
    terminal.close();
  }
}

async function withProgress<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const progress = progressLine();
  try {
    return await work((seen) => progress.show(`Guias revisadas: ${seen}`));
  } finally {
    progress.clear();
  }
}
