import { runCommandLine } from '#shared/commands/run-command-line.ts';
import { addAuditCommand } from './accounts/commands/audit-command.ts';
import { example, PERMISSION_NAMES } from './accounts/commands/command-line.ts';
import { addImportCommand } from './accounts/commands/import-command.ts';
import { addLimitsCommand } from './accounts/commands/limits-command.ts';
import { addListCommand } from './accounts/commands/list-command.ts';
import { PASSWORD_RULE } from './accounts/commands/read-password.ts';
import { addRemoveCommand } from './accounts/commands/remove-command.ts';
import { addResetCommand } from './accounts/commands/reset-command.ts';
import { addUserCommands } from './accounts/commands/user-commands.ts';
import { addUsageCommand } from './billing/usage-command.ts';
import { addCanaryCommand } from './canary/canary-command.ts';
import { addKeysCommand } from './keys/keys-command.ts';
import { addPrivacyCommands } from './privacy/commands.ts';
import { storedAdjusters } from './quotes/adjustment.ts';
import { addEventsCommand } from './tracking/events-command.ts';
import { addWebhooksCommand } from './webhooks/webhooks-command.ts';

/**
 * `npm run admin -- …`: the API's users. Exit code 0: done, 1: refused or failed, 2: wrong usage.
 *
 * A password comes from a terminal or from standard input. As an argument it would show in the shell's history and in
 * the list of processes. For the same reason no message repeats an unexpected argument.
 */

/** Guides stand before what belongs to them. */
async function loadPersonalData() {
  const [{ ROOMS }, { personalDataOf }] = await Promise.all([import('./app.ts'), import('./http/room.ts')]);
  return personalDataOf(ROOMS);
}

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
        addUserCommands(program, run, loadPersonalData);
        addListCommand(program, run);
        addImportCommand(program, run, loadPersonalData);
        addResetCommand(program, run);
        addRemoveCommand(program, run, loadPersonalData);
        addLimitsCommand(program, run);
        addKeysCommand(program, run, loadPersonalData);
        addAuditCommand(program, run);
        addEventsCommand(program, run, storedAdjusters);
        addPrivacyCommands(program, run, loadPersonalData);
        addWebhooksCommand(program, run);
        addUsageCommand(program, run);
        addCanaryCommand(program, run);
      },
    },
    argv,
  );
}
