import { mkdir } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Run, typedPath } from '#shared/commands/run-command-line.ts';
import { aligned } from '#shared/commands/terminal.ts';
import { parseInteger, readTimeZone } from '../../accounts/commands/command-line.ts';
import { writeTariffFolder } from '../tariffs/tariff-files.ts';
import { inForceAt } from '../tariffs/tariff-versions.ts';
import {
  filesOf,
  noVersion,
  readStoredTariffs,
  type StoredTariffs,
  withdrawVersion,
} from './stored-tariffs.ts';

export const VERSION = 'su numero en list';

/** Adds the commands `list`, `export` and `withdraw`. */
export function addVersionCommands(program: Command, run: Run): void {
  program
    .command('list')
    .description('las versiones, desde cuando rigen, cual esta en vigor, y quien las cargo')
    .action(() =>
      run(async (mongo) => {
        const stored = await readStoredTariffs(mongo);
        return { text: stored.versions.length > 0 ? versionTable(stored) : 'No hay tarifas' };
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
    .command('withdraw')
    .description('retira una version para siempre; sus cotizaciones se rechazan')
    .argument('<version>', VERSION, parseVersion)
    .action((version: number) =>
      run(async (mongo) => {
        const stored = await readStoredTariffs(mongo);
        const found = stored.versions.find(({ number }) => number === version);
        if (!found) throw noVersion(version);
        if (found.withdrawn) return { text: `La version ${version} ya estaba retirada` };
        return { text: `Version ${version} retirada; ${await withdrawVersion(stored, version)}` };
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
function versionTable({ versions, now }: StoredTariffs): string {
  const { timeZone, localTime } = readTimeZone();
  const minute = (moment: Date) => localTime(moment).slice(0, 16).replace('T', ' ');
  const inForce = inForceAt(versions, now)?.number;
  const rows = versions
    .toReversed()
    .map(({ number, from, at, by, withdrawn }) => [
      `${number}`,
      minute(new Date(from)),
      withdrawn ? 'retirada' : number === inForce ? 'en vigor' : from > now ? 'futura' : 'anterior',
      minute(at),
      by,
    ]);
  return `${aligned([['version', 'desde', 'estado', 'cargada', 'por'], ...rows])}\nHoras de ${timeZone}`;
}
