import { runCommandLine } from '#shared/commands/run-command-line.ts';
import { addAuditCommand } from './commands/audit-command.ts';
import { example, PERMISSION_NAMES } from './commands/command-line.ts';
import { addEventsCommand } from './commands/events-command.ts';
import { addImportCommand } from './commands/import-command.ts';
import { addLimitsCommand } from './commands/limits-command.ts';
import { addListCommand } from './commands/list-command.ts';
import { addPrivacyCommands } from './commands/privacy-commands.ts';
import { PASSWORD_RULE } from './commands/read-password.ts';
import { addRemoveCommand } from './commands/remove-command.ts';
import { addResetCommand } from './commands/reset-command.ts';
import { addUsageCommand } from './commands/usage-command.ts';
import { addUserCommands } from './commands/user-commands.ts';
import { addWebhooksCommand } from './commands/webhooks-command.ts';

/**
 * `npm run admin -- …`: the API's users. Exit code 0: done, 1: refused or failed, 2: wrong usage.
 *
 * A password comes from a terminal or from standard input. As an argument it would show in the shell's history and in
 * the list of processes. For the same reason no message repeats an unexpected argument.
 */

if (import.meta.main) process.exitCode = await run(process.argv);

/** Runs a command. @returns the exit code. */
export function run(argv: string[]): Promise<number> {
  return runCommandLine(
    {
      name: 'npm run admin --',
      service: 'admin',
      addCommands(program, run) {
        program
          .description(
            'Administra los usuarios de la API. Lee MONGODB_URI del entorno; usage, tambien TIME_ZONE.',
          )
          .addHelpText('after', `\nPermisos: ${PERMISSION_NAMES}\n${PASSWORD_RULE}`)
          .addHelpText('after', example('create --help'));
        addUserCommands(program, run);
        addListCommand(program, run);
        addImportCommand(program, run);
        addResetCommand(program, run);
        addRemoveCommand(program, run);
        addLimitsCommand(program, run);
        addAuditCommand(program, run);
        addEventsCommand(program, run);
        addPrivacyCommands(program, run);
        addWebhooksCommand(program, run);
        addUsageCommand(program, run);
      },
    },
    argv,
  );
}
