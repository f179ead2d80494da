import type { Command } from 'commander';
import type { CommandTools } from '../platform/command-tools.ts';
import { addAuditCommand } from './commands/audit-command.ts';
import { addImportCommand } from './commands/import-command.ts';
import { addLimitsCommand } from './commands/limits-command.ts';
import { addListCommand } from './commands/list-command.ts';
import { addRemoveCommand } from './commands/remove-command.ts';
import { addResetCommand } from './commands/reset-command.ts';
import { addUserCommands } from './commands/user-commands.ts';

/** Users, their accounts, and the audit log. */
export function addCommands(program: Command, { run, loadPersonalData }: CommandTools): void {
  addUserCommands(program, run, loadPersonalData);
  addListCommand(program, run);
  addImportCommand(program, run, loadPersonalData);
  addResetCommand(program, run);
  addRemoveCommand(program, run, loadPersonalData);
  addLimitsCommand(program, run);
  addAuditCommand(program, run);
}
