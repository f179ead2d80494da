import { Command, CommanderError, type Option } from 'commander';

const WORDS: Readonly<Record<string, string>> = {
  'Usage:': 'Uso:',
  'Arguments:': 'Argumentos:',
  'Options:': 'Opciones:',
  'Commands:': 'Comandos:',
  '[options]': '[opciones]',
  '[command]': '<comando>',
};
const USAGE: Readonly<Record<string, string>> = {
  'commander.excessArguments': 'Sobran argumentos',
  'commander.missingArgument': 'Falta un argumento',
  'commander.optionMissingArgument': 'Falta el valor de una opcion',
  'commander.unknownCommand': 'Comando desconocido',
  'commander.unknownOption': 'Opcion desconocida',
};

/** Makes a program with messages in Spanish. Its `parseAsync` throws, and prints no error. */
export function spanishCommand(name: string): Command {
  return new Command(name)
    .helpOption('-h, --help', 'muestra esta ayuda')
    .helpCommand(false)
    .configureHelp({
      styleTitle: inSpanish,
      styleUsage: inSpanish,
      styleSubcommandTerm: inSpanish,
      optionDescription: describeOption,
    })
    .configureOutput({ outputError: () => {} })
    .exitOverride();
}

export function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

/** Explains wrong arguments without repeating them, because one may be a secret. */
export function explainUsage({ code }: CommanderError, name: string): string {
  return `${USAGE[code] ?? 'Falta un comando'}. Vea ${name} --help`;
}

function describeOption({ description, argChoices, defaultValue, envVar }: Option): string {
  const more = [
    ...(argChoices ? [argChoices.join(' o ')] : []),
    ...(defaultValue === undefined ? [] : [`si falta: ${defaultValue}`]),
    ...(envVar ? [`variable: ${envVar}`] : []),
  ];
  return more.length > 0 ? `${description} (${more.join('; ')})` : description;
}

/** Pads the cells of rows, of which each has as many as the first, to columns. @returns a text with a line for each row. */
export function aligned(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

function inSpanish(text: string): string {
  return Object.entries(WORDS).reduce((result, [word, ours]) => result.replace(word, ours), text);
}

/** Shortest time between two updates, in ms: of lines in a log, and of the one line of a terminal. */
const INTERVAL = 3_000;
const TERMINAL_INTERVAL = 100;
const CLEAR_LINE = '\r\u001b[K';

/** Shows the progress of a long command on standard error. On a terminal it is one line. */
export function progressLine() {
  const { isTTY } = process.stderr;
  let last = performance.now();
  return {
    show(text: string): void {
      if (performance.now() - last < (isTTY ? TERMINAL_INTERVAL : INTERVAL)) return;
      last = performance.now();
      process.stderr.write(isTTY ? CLEAR_LINE + text : `${text}\n`);
    },
    /** Call it before anything else is written. */
    clear(): void {
      if (isTTY) process.stderr.write(CLEAR_LINE);
    },
  };
}
