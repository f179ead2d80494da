import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { CommandResult } from '#shared/audit/record-command.ts';
import { writeToOutput } from '#shared/commands/broken-pipe.ts';
import { confirm } from '#shared/commands/confirm.ts';
import { type Run, typedPath, UsageError } from '#shared/commands/run-command-line.ts';
import { progressLine } from '#shared/commands/terminal.ts';
import { example } from '../accounts/commands/command-line.ts';
import type { CommandTools } from '../platform/command-tools.ts';
import { type LoadPersonalData, personalTexts } from '../platform/personal-data.ts';
import { type Counts, countNaming, erasePerson, exportPerson, type Walk } from './person-data.ts';
import { type PersonSearch, personSearch } from './person-search.ts';

const AFTER_ERASURE =
  'Lo impreso sale de Redis en una hora a mas tardar. Las copias de seguridad aun lo tienen.';

/** For the rights of a person (docs/security.md "Personal data"). */
export function addCommands(program: Command, { run, loadPersonalData: load }: CommandTools): void {
  const deps = { run, load };
  const privacy = program
    .command('privacy')
    .description('Exporta o borra los datos de una persona en todas las guias (derechos ARCO).')
    .helpCommand(false);
  addSearch(privacy.command('export'), 'Escribe en JSON lo que las guias tienen de una persona.')
    .option('--output <archivo>', 'archivo nuevo, que solo usted puede leer; si falta, la salida estandar')
    .addHelpText('after', example('privacy export --phone 5512345678 --output persona.json'))
    .action(({ output, ...options }: SearchOptions & { output?: string }) =>
      onPerson(deps, 'export', options, async (walk, announce) => {
        const path = output && typedPath(output);
        await announce();
        let counts: Counts = { guides: 0, texts: 0 };
        const parts = (async function* () {
          counts = yield* exportPerson(walk);
        })();
        if (path) await pipeline(parts, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
        else await writeToOutput(parts);
        return { text: path ? `Exportadas: ${inWords(counts)}, en ${path}` : '', details: counts };
      }),
    );
  addSearch(privacy.command('erase'), 'Anonimiza a una persona en todas las guias. No se puede deshacer.')
    .option('--yes', 'no pide confirmacion')
    .addHelpText('after', example('privacy erase --email ana@ejemplo.mx'))
    .action(({ yes = false, ...options }: SearchOptions & { yes?: boolean }) =>
      onPerson(deps, 'erase', options, async (walk, announce) => {
        if (!yes) await confirmErasure(await countNaming(walk));
        await announce();
        const counts = await erasePerson(walk);
        return { text: `Anonimizadas: ${inWords(counts)}. ${AFTER_ERASURE}`, details: counts };
      }),
    );
}

function addSearch(command: Command, description: string): Command {
  return command
    .description(`${description} Revisa todas las guias: con un millon tarda minutos.`)
    .option('--phone <telefono>', 'se comparan los digitos, sin 52, 521, 01, 044 ni 045')
    .option('--email <correo>', 'sin distinguir mayusculas')
    .option(
      '--name <nombre>',
      'completo, sin distinguir mayusculas ni acentos; puede ser de varias personas',
    );
}

type SearchOptions = { phone?: string; email?: string; name?: string };

/** Demands exactly one option. @throws UsageError */
export function parseSearch({ phone, email, name }: SearchOptions): PersonSearch {
  const [only, another] = [
    { by: 'telefono', text: phone } as const,
    { by: 'correo', text: email } as const,
    { by: 'nombre', text: name } as const,
  ].filter(({ text }) => text !== undefined);
  if (!only || another) throw new UsageError('Indique --phone, --email o --name, uno solo');
  const search = personSearch(only.by, only.text ?? '');
  if (search.by === 'telefono' && search.wanted.length < 7)
    throw new UsageError('--phone debe tener al menos 7 digitos');
  if (search.by === 'correo' && !search.wanted.includes('@'))
    throw new UsageError('--email debe ser un correo');
  if (!search.wanted) throw new UsageError('--name no puede estar vacio');
  return search;
}

/** The audit log has the kind of search, never the person. */
function onPerson(
  { run, load }: { run: Run; load: LoadPersonalData },
  name: 'export' | 'erase',
  options: SearchOptions,
  work: (walk: Walk, announce: () => Promise<void>) => Promise<CommandResult>,
): Promise<void> {
  const search = parseSearch(options);
  return run(
    async (mongo, announce) => {
      const progress = progressLine();
      const onProgress = (seen: number) => progress.show(`Guias revisadas: ${seen}`);
      try {
        const texts = personalTexts(await load());
        return await work({ mongo, texts, search, onProgress }, announce);
      } finally {
        progress.clear();
      }
    },
    { action: `privacy.${name}`, subject: search.by },
  );
}

function inWords({ guides, texts }: Counts): string {
  return texts === 0 ? `${guides} guias` : `${guides} guias y ${texts} textos de cuentas`;
}

/** @throws Error unless the operator answers `SI`. */
async function confirmErasure(counts: Counts): Promise<void> {
  const question = `Se anonimizara a la persona en ${inWords(counts)}, sin vuelta atras. Escriba SI para seguir: `;
  if (!(await confirm(question))) throw new Error('Cancelado: no se borro nada');
}
