import type { Command } from 'commander';
import { runCommandLine } from '#shared/commands/run-command-line.ts';
import { ROOMS_DATA } from '#shared/rooms.ts';
import { example, PERMISSION_NAMES } from './accounts/commands/command-line.ts';
import { PASSWORD_RULE } from './accounts/commands/read-password.ts';
import { type AdjustingTools, type MakeAdjusters, NO_ADJUSTMENTS } from './guides/adjusting.ts';
import type { CommandTools } from './platform/command-tools.ts';
import { Port } from './platform/port.ts';
import type { FollowingTools } from './tracking/following.ts';

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

type RoomCommands = {
  room: string;
  addCommands(program: Command, tools: CommandTools & AdjustingTools & FollowingTools): void;
};

/** Loads the commands of the rooms, and not the rooms, which take longer. */
export function loadCommands(): Promise<RoomCommands[]> {
  const having = ROOMS_DATA.filter(({ commands }) => commands !== 'none');
  return Promise.all(
    having.map(async ({ name: room }) => {
      const { addCommands } = (await import(`./${room}/commands.ts`)) as Omit<RoomCommands, 'room'>;
      return { room, addCommands };
    }),
  );
}

if (import.meta.main) process.exitCode = await run(process.argv);

/** Runs a command. @returns the exit code. */
export function run(argv: string[]): Promise<number> {
  return runCommandLine(
    {
      name: 'npm run admin --',
      service: 'admin',
      async addCommands(program, run) {
        program
          .description(
            'Administra los usuarios de la API. Lee MONGODB_URI del entorno; usage y cobros, tambien TIME_ZONE.',
          )
          .addHelpText('after', `\nPermisos: ${PERMISSION_NAMES}\n${PASSWORD_RULE}`)
          .addHelpText('after', example('create --help'));
        const adjusters = new Port<MakeAdjusters>(() => NO_ADJUSTMENTS);
        const rooms = await loadCommands();
        const followers: FollowingTools['followers'] = [];
        for (const { addCommands } of rooms)
          addCommands(program, { run, loadPersonalData, adjusters, followers });
      },
    },
    argv,
  );
}
