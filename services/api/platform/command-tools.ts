import type { Run } from '#shared/commands/run-command-line.ts';
import type { LoadPersonalData } from './personal-data.ts';

/** What `addCommands` of a room's `commands.ts` gets beside the program `npm run admin`. */
export type CommandTools = { run: Run; loadPersonalData: LoadPersonalData };
