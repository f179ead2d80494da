import { type Command, CommanderError } from 'commander';
import { Type } from 'typebox';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { type RecordedCommand, recordCommand } from '#shared/audit/record-command.ts';
import { explainUsage, isHelp, spanishCommand } from '#shared/commands/terminal.ts';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { addAuditCommand } from './commands/audit-command.ts';
import { example, type Run, UsageError } from './commands/command-line.ts';
import { addEventsCommand } from './commands/events-command.ts';
import { addLimitsCommand } from './commands/limits-command.ts';
import { addPrivacyCommands } from './commands/privacy-commands.ts';
import { isCancelled, PASSWORD_RULE } from './commands/read-password.ts';
import { addRemoveCommand } from './commands/remove-command.ts';
import { addUserCommands, PERMISSION_NAMES } from './commands/user-commands.ts';
import { addWebhooksCommand } from './commands/webhooks-command.ts';

/**
 * `npm run admin -- …`: the API's users. Exit code 0: done, 1: refused or failed, 2: wrong usage.
 *
 * A password comes from a terminal without echo or from standard input, never from an argument: arguments stay in the
 * shell's history, and everybody who lists processes sees them. For the same reason no message repeats an argument
 * that was not expected.
 */

const NAME = 'npm run admin --';

if (import.meta.main) process.exitCode = await run(process.argv);

/** Runs a command. @returns the exit code. */
export async function run(argv: string[]): Promise<number> {
  try {
    const program = createProgram();
    const run: Run = (use, as = typed(program)) =>
      perform({ ...as, service: 'admin', env: process.env }, use);
    addUserCommands(program, run);
    addRemoveCommand(program, run);
    addLimitsCommand(program, run);
    addAuditCommand(program, run);
    addEventsCommand(program, run);
    addPrivacyCommands(program, run);
    addWebhooksCommand(program, run);
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    if (isHelp(error)) return 0;
    process.stderr.write(`${explain(error)}\n`);
    const wrongUsage = [CommanderError, UsageError, ConfigError].some((type) => error instanceof type);
    return wrongUsage ? 2 : 1;
  }
}

function createProgram(): Command {
  return spanishCommand(NAME)
    .description('Administra los usuarios de la API. Lee MONGODB_URI del entorno.')
    .addHelpText('after', `\nPermisos: ${PERMISSION_NAMES}\n${PASSWORD_RULE}`)
    .addHelpText('after', example('create --help'));
}

async function perform(event: RecordedCommand, use: Parameters<Run>[0]): Promise<void> {
  const { MONGODB_URI } = loadConfig(Type.Object(mongoSettings), process.env);
  const mongo = await connectMongo(MONGODB_URI, createLogger('admin', 'silent'));
  try {
    const trail = new AuditStore(mongo);
    const text = await recordCommand(trail, event, (announce) => use(mongo, announce));
    if (text) process.stdout.write(`${text}\n`);
  } finally {
    await mongo.close();
  }
}

/** Returns what the trail says of a command: its name, the user that it is about, and its other arguments. */
function typed(program: Command): Pick<RecordedCommand, 'action' | 'subject' | 'details'> {
  const name = program.args[0] ?? '';
  const command = program.commands.find((each) => each.name() === name);
  const [subject, ...rest] = command?.args ?? [];
  const options = Object.entries(command?.opts() ?? {}).map(([option, value]) => [
    option,
    value instanceof Date ? value.toISOString() : String(value),
  ]);
  return {
    action: `admin.${name}`,
    subject,
    details: { ...Object.fromEntries(options), ...(rest.length > 0 && { arguments: rest.join(' ') }) },
  };
}

function explain(error: unknown): string {
  if (error instanceof CommanderError) return explainUsage(error, NAME);
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  if (isCancelled(error)) return 'Cancelado: no se recibio la contrasena';
  if (isTransientError(error)) return 'La base de datos de MONGODB_URI no responde, intente de nuevo';
  if (syscall) return `No se puede leer o escribir el archivo (${code})`;
  return message;
}
