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
import { isTransientError } from '#shared/stores/transient-errors.ts';
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
  addCommands: (program: Command, run: Run) => void;
};

/**
 * Runs a command line for operators. A failure is one line on standard error.
 * @returns the exit code. 0: done, 1: refused or failed, 2: wrong usage.
 */
export async function runCommandLine(
  { name, service, addCommands }: CommandLine,
  argv: string[],
): Promise<number> {
  const program = spanishCommand(name);
  try {
    addCommands(program, (use, as = typed(program, service)) =>
      perform({ ...as, service, env: process.env }, use),
    );
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    if (isHelp(error)) return 0;
    process.stderr.write(`${explain(error, name)}\n`);
    const wrongUsage = [CommanderError, UsageError, ConfigError].some((type) => error instanceof type);
    return wrongUsage ? 2 : 1;
  }
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
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  // A closed standard output is not an outage, although its error has the code of an outage.
  if (isTransientError(error) && syscall !== 'write') {
    return 'La base de datos de MONGODB_URI no responde, intente de nuevo';
  }
  return syscall ? `No se puede leer o escribir el archivo (${code})` : message;
}

/** npm runs commands in the folder of the project, not in that of the operator. */
export function typedPath(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}
