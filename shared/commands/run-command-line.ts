import { resolve } from 'node:path';
import { type Command, CommanderError } from 'commander';
import type { Connection } from 'mongoose';
import { Type } from 'typebox';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { type CommandResult, type RecordedCommand, recordCommand } from '#shared/audit/record-command.ts';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { isOutOfSpace, isTransientError } from '#shared/stores/transient-errors.ts';
import { untilPipeBreaks } from './broken-pipe.ts';
import { explainUsage, isHelp, spanishCommand } from './terminal.ts';

/** A wrong argument. The message is for the operator, and does not repeat what was typed. */
export class UsageError extends Error {}

/**
 * Runs a command on the database, records it in the audit log, and prints the text that it returns.
 * @param as what the audit log stores of the command; by default its name and arguments.
 */
export type Run = (
  use: (mongo: Connection, announce: () => Promise<void>) => Promise<CommandResult>,
  as?: Pick<RecordedCommand, 'action' | 'subject' | 'details'>,
) => Promise<void>;

type CommandLine = {
  /** What an operator types, such as `npm run admin --`. */
  name: string;
  /** Its name in the audit log. */
  service: 'admin' | 'branches' | 'tariffs';
  /** Describes the program, and adds commands whose actions call `run`. */
  addCommands: (program: Command, run: Run) => void | Promise<void>;
};

/**
 * Runs a command line for operators. A failure is one line on standard error.
 * @returns the exit code. 0: done, 1: refused or failed, 2: wrong usage, 141: nobody reads the output any more.
 */
export async function runCommandLine(
  { name, service, addCommands }: CommandLine,
  argv: string[],
): Promise<number> {
  const program = spanishCommand(name);
  try {
    await addCommands(program, (use, as = typed(program, service)) =>
      perform({ ...as, service, env: process.env }, use),
    );
    refuseEmpty(argv);
    return await untilPipeBreaks(async () => {
      await program.parseAsync(argv).catch((error: unknown) => {
        if (!isHelp(error)) throw error;
      });
      return 0;
    });
  } catch (error) {
    process.stderr.write(`${explain(error, name)}\n`);
    const wrongUsage = [CommanderError, UsageError, ConfigError].some((type) => error instanceof type);
    return wrongUsage ? 2 : 1;
  }
}

/**
 * Refuses an empty argument, which is what a shell makes of a variable without a value. Without the check
 * `reset --passwords "$FILE"` would show the password, and `quote --account "$ACCOUNT"` would price by the public list.
 */
function refuseEmpty(argv: string[]): void {
  if (argv.some((argument) => /^(--[\w-]+=)?\s*$/.test(argument)))
    throw new UsageError('Un argumento esta vacio: escriba su valor, o quite la opcion');
}

async function perform(event: RecordedCommand, use: Parameters<Run>[0]): Promise<void> {
  const { MONGODB_URI } = loadConfig(Type.Object(mongoSettings), process.env);
  const mongo = await connectMongo(MONGODB_URI, createLogger(event.service, 'silent'));
  try {
    const text = await recordCommand(new AuditStore(mongo), event, (announce) => use(mongo, announce));
    if (text) process.stdout.write(`${text}\n`);
  } finally {
    await mongo.close();
  }
}

/** The subject is the first argument; the details are the other arguments and the options. */
function typed(
  program: Command,
  service: CommandLine['service'],
): Pick<RecordedCommand, 'action' | 'subject' | 'details'> {
  const name = program.args[0] ?? '';
  const command = program.commands.find((each) => each.name() === name);
  const [subject, ...rest] = command?.args ?? [];
  const options = Object.entries(command?.opts() ?? {}).map(([option, value]) => [
    option,
    value instanceof Date ? value.toISOString() : String(value),
  ]);
  return {
    action: `${service}.${name}`,
    subject,
    details: { ...Object.fromEntries(options), ...(rest.length > 0 && { arguments: rest.join(' ') }) },
  };
}

function explain(error: unknown, name: string): string {
  if (error instanceof CommanderError) return explainUsage(error, name);
  if (error instanceof ConfigError) return explainSettings(error);
  const { message, code, syscall, path = 'el archivo' } = error as NodeJS.ErrnoException;
  if (isOutOfSpace(error)) return 'El disco de la base de datos de MONGODB_URI está lleno';
  if (isTransientError(error)) return 'La base de datos de MONGODB_URI no responde, intente de nuevo';
  return syscall ? `No se puede leer o escribir ${path} (${code})` : message;
}

/** Names what is wrong with the environment; the descriptions of settings are English. */
function explainSettings({ settings, message }: ConfigError): string {
  const problems = settings.map(
    ({ name, isMissing, example }) =>
      `${isMissing ? 'Falta' : 'No sirve'} la variable ${name}${example ? `. Ejemplo: ${example}` : ''}`,
  );
  return problems.length > 0 ? problems.join('\n') : message.replace(/^.*/, 'La configuracion no sirve:');
}

/** npm runs commands in the folder of the project, not in that of the operator. */
export function typedPath(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}
