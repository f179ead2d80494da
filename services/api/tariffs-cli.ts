import { runCommandLine } from '#shared/commands/run-command-line.ts';
import { addLoadCommands } from './quotes/tariff-commands/load-commands.ts';
import { addQuoteCommand } from './quotes/tariff-commands/quote-command.ts';
import { addVersionCommands } from './quotes/tariff-commands/version-commands.ts';
import { TARIFF_COLUMNS } from './quotes/tariffs/tariff-files.ts';

/**
 * `npm run tariffs -- …`: versions of the tariff as folders of CSV files (docs/tarifas.md). Exit code 0: done, 1: refused or
 * failed, 2: wrong usage.
 */

const NAME = 'npm run tariffs --';
const HELP = `
Los archivos, en UTF-8 y separados por , o ; (la carpeta tiene solo los que cambian):
${Object.entries(TARIFF_COLUMNS)
  .map(([file, columns]) => `  ${file.padEnd(15)} ${columns.join(',')}`)
  .join('\n')}

Ejemplos:
  ${NAME} import carpeta --dry-run
  ${NAME} import carpeta --from 2026-12-01
  ${NAME} quote --account tienda --origin MEX01 --cp 64000 --kg 2.5 --cm 30,20,15`;

if (import.meta.main) process.exitCode = await run(process.argv);

/** Runs a command. @returns the exit code. */
export function run(argv: string[]): Promise<number> {
  return runCommandLine(
    {
      name: NAME,
      service: 'tariffs',
      addCommands(program, run) {
        program
          .description('Revisa, carga y retira tarifas. Lee MONGODB_URI y TIME_ZONE del entorno.')
          .addHelpText('after', HELP);
        addLoadCommands(program, run);
        addVersionCommands(program, run);
        addQuoteCommand(program, run);
      },
    },
    argv,
  );
}
