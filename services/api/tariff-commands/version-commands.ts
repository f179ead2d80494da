import { mkdir } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Run, typedPath } from '#shared/commands/run-command-line.ts';
import { aligned, parseInteger, readTimeZone } from '../commands/command-line.ts';
import { writeTariffFolder } from '../tariffs/tariff-files.ts';
import { inForceAt, type TariffVersion } from '../tariffs/tariff-versions.ts';
import { beginningOf } from './local-days.ts';
import { addVersion, filesOf, noVersion, readStoredTariffs, withdrawVersion } from './stored-tariffs.ts';

const VERSION = 'su numero en list';

/** Adds the commands `list`, `export`, `restore` and `withdraw`. */
export function addVersionCommands(program: Command, run: Run): void {
  program
    .command('list')
    .description('las versiones, desde cuando rigen, cual esta en vigor, y quien las cargo')
    .action(() =>
      run(async (mongo) => {
        const { versions } = await readStoredTariffs(mongo);
        return { text: versions.length > 0 ? versionTable(versions) : 'No hay tarifas' };
      }),
    );
  program
    .command('export')
    .description('escribe todos los archivos de una version en una carpeta nueva')
    .argument('<version>', VERSION, parseVersion)
    .argument('<carpeta>', 'no debe existir')
    .action((version: number, path: string) =>
      run(async (mongo) => {
        const folder = await filesOf(await readStoredTariffs(mongo), version);
        await makeFolder(typedPath(path));
        await writeTariffFolder(typedPath(path), folder);
        return { text: `Archivos de la version ${version}: ${[...folder.keys()].join(', ')}` };
      }),
    );
  program
    .command('restore')
    .description('pone los archivos de una version otra vez en vigor, como version nueva y desde ahora')
    .argument('<version>', VERSION, parseVersion)
    .action((version: number) =>
      run(async (mongo) => {
        const stored = await readStoredTariffs(mongo);
        const begins = beginningOf(undefined);
        const restored = await addVersion(stored, await filesOf(stored, version), begins.moment);
        return {
          text: `Version ${restored}, con los archivos de la ${version}, en vigor desde ${begins.text}`,
          details: { restored },
        };
      }),
    );
  program
    .command('withdraw')
    .description('retira una version para siempre; sus cotizaciones se rechazan')
    .argument('<version>', VERSION, parseVersion)
    .action((version: number) =>
      run(async (mongo) => {
        const stored = await readStoredTariffs(mongo);
        const found = stored.versions.find(({ number }) => number === version);
        if (!found) throw noVersion(version);
        if (found.withdrawn) return { text: `La version ${version} ya estaba retirada` };
        await withdrawVersion(stored, version);
        const rest = stored.versions.filter(({ number }) => number !== version);
        const now = inForceAt(rest, Date.now());
        const after = now ? `en vigor queda la ${now.number}` : 'no queda ninguna en vigor';
        return { text: `Version ${version} retirada; ${after}` };
      }),
    );
}

/** Parses the number of a version. */
export function parseVersion(text: string): number {
  return parseInteger(text, 999_999_999, 'La version es un numero');
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'EEXIST' ? new Error('La carpeta ya existe: nombre una nueva', { cause }) : cause;
  });
}

/** Times are local, as those that `import` takes. */
function versionTable(versions: readonly TariffVersion[]): string {
  const { timeZone, localTime } = readTimeZone();
  const minute = (moment: Date) => localTime(moment).slice(0, 16).replace('T', ' ');
  const now = inForceAt(versions, Date.now())?.number;
  const rows = versions
    .toReversed()
    .map(({ number, from, at, by, withdrawn }) => [
      `${number}`,
      minute(new Date(from)),
      withdrawn ? 'retirada' : number === now ? 'en vigor' : from > Date.now() ? 'futura' : 'anterior',
      minute(at),
      by,
    ]);
  return `${aligned([['version', 'desde', 'estado', 'cargada', 'por'], ...rows])}\nHoras de ${timeZone}`;
}
