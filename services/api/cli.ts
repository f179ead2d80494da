import { type Command, CommanderError } from 'commander';
import type { Connection } from 'mongoose';
import { Type } from 'typebox';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { type CommandResult, type RecordedCommand, recordCommand } from '#shared/audit/record-command.ts';
import { UserStore } from '#shared/auth/user-store.ts';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { explainUsage, isHelp, spanishCommand } from '#shared/terminal/spanish-command.ts';
import { AccountLimitsStore } from './accounts/account-limits.ts';
import { PERMISSION_NAMES, UsageError } from './accounts/arguments.ts';
import { addAuditCommand } from './accounts/audit-command.ts';
import { addCommands, example } from './accounts/commands.ts';
import { addLimitsCommand } from './accounts/limits-command.ts';
import { PASSWORD_RULE } from './accounts/read-password.ts';
import { isCancelled } from './accounts/secret-input.ts';
import { addEventsCommand } from './events-command.ts';
import { GuideStore } from './guides/guide-store.ts';
import { PersonalDataStore } from './privacy/personal-data-store.ts';
import { addPrivacyCommands, type RunPrivately } from './privacy/privacy-commands.ts';

/**
 * `npm run admin -- …`: the API's users. Exit code 0: done, 1: refused or failed, 2: wrong usage.
 *
 * A password comes from a terminal without echo or from standard input, never from an argument: arguments stay in the
 * shell's history, and everybody who lists processes sees them. For the same reason no message repeats an argument
 * that was not expected.
 */

/** As it is typed. */
const NAME = 'npm run admin --';

if (import.meta.main) process.exitCode = await run(process.argv);

/** Runs a command. @returns the exit code. */
export async function run(argv: string[]): Promise<number> {
  try {
    const program = createProgram();
    const asRecorded = (use: (mongo: Connection) => Promise<string>) =>
      perform(recorded(program), async (mongo) => ({ text: await use(mongo) }));
    addCommands(program, (use) =>
      asRecorded((mongo) => use(new UserStore(mongo, { allowDemo: true }), new GuideStore(mongo))),
    );
    addLimitsCommand(program, (use) =>
      asRecorded((mongo) => use(new AccountLimitsStore(mongo), new UserStore(mongo))),
    );
    addAuditCommand(program, (use) => asRecorded((mongo) => use(new AuditStore(mongo))));
    addEventsCommand(program, (use) => perform(recorded(program), use), process.env);
    addPrivacyCommands(program, runPrivately, process.env.INIT_CWD ?? '.');
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

/** Runs a command, records it in the audit trail, and then prints the text that it returns. */
async function perform(
  event: RecordedCommand,
  use: (mongo: Connection, announce: () => Promise<void>) => Promise<CommandResult>,
): Promise<void> {
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

/** Runs a privacy command. The trail has by what a person was searched for, never the person. */
function runPrivately(...[{ name, by }, use]: Parameters<RunPrivately>): Promise<void> {
  const event = { service: 'admin', action: `privacy.${name}`, subject: by, env: process.env } as const;
  return perform(event, (mongo, announce) => use(new PersonalDataStore(mongo), announce));
}

/** Returns what the trail says of a command: its name, the user that it is about, and its other arguments. */
function recorded(program: Command): RecordedCommand {
  const name = program.args[0] ?? '';
  const command = program.commands.find((each) => each.name() === name);
  const [subject, ...rest] = command?.args ?? [];
  const options = Object.entries(command?.opts() ?? {}).map(([option, value]) => [
    option,
    value instanceof Date ? value.toISOString() : String(value),
  ]);
  return {
    service: 'admin',
    action: `admin.${name}`,
    subject,
    details: { ...Object.fromEntries(options), ...(rest.length > 0 && { arguments: rest.join(' ') }) },
    env: process.env,
  };
}

/** Says what went wrong, for the operator. */
function explain(error: unknown): string {
  if (error instanceof CommanderError) return explainUsage(error, NAME);
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  if (isCancelled(error)) return 'Cancelado: no se recibio la contrasena';
  if (isTransientError(error)) return 'La base de datos de MONGODB_URI no responde, intente de nuevo';
  if (syscall) return `No se puede leer o escribir el archivo (${code})`;
  return message;
}
