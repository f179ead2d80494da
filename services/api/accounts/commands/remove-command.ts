import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import { UserStore } from '#shared/accounts/user-store.ts';
import { AUDIT_DAYS } from '#shared/audit/audit-store.ts';
import type { Run } from '#shared/commands/run-command-line.ts';
import { progressLine } from '#shared/commands/terminal.ts';
import {
  forUsers,
  type LoadPersonalData,
  type PersonalData,
  whatGoesOn,
} from '../../platform/personal-data.ts';
import { closeIfLast, requireClosable } from './close-account.ts';
import { example, usernameArgument } from './command-line.ts';
import { listed, staysInAccount } from './user-words.ts';

/** In ms: by then every process knows that a user is disabled (docs/contract.md "Authentication"). */
const IN_FORCE_MS = 10_000;

/** The guides stay with their account. */
export function addRemoveCommand(program: Command, run: Run, load: LoadPersonalData): void {
  program
    .command('remove')
    .description(`Lo elimina, y quita su nombre de sus ${listed('forgets')}. No se puede deshacer.`)
    .addArgument(usernameArgument())
    .addHelpText(
      'after',
      `
Termina sus ${listed('ends', 'tokens', 'sesiones')}. Las guias se quedan en su cuenta, tambien cuando era su ultimo usuario. La
bitacora guarda su nombre ${AUDIT_DAYS} dias. Revisa todas las guias: con un millon tarda minutos. Si se
interrumpe, repitalo.`,
    )
    .addHelpText('after', example('remove tienda'))
    .action((username: string) =>
      run(async (mongo, announce) => {
        const users = new UserStore(mongo, { allowDemo: true });
        const user = await users.find(username);
        if (!user) throw new Error(`El usuario no existe: ${username}`);
        const personalData = await load();
        await requireClosable(mongo, user, personalData);
        await announce();
        if (user.account === username) process.stderr.write(keptName(username));
        // The user goes last, so that an interrupted command can be repeated.
        await users.set(username, { disabled: true });
        process.stderr.write('Deshabilitado. Se elimina en 10 segundos; Ctrl-C lo impide.\n');
        await sleep(IN_FORCE_MS); // also for a user who was disabled a moment ago
        // Now: afterwards nothing says any more what the user has set up.
        const remaining = await whatGoesOn(personalData, mongo, user);
        if (remaining !== '') process.stderr.write(`${remaining.trimStart()}\n`);
        await forgetName(mongo, username, personalData);
        const closed = await closeIfLast(mongo, user, personalData);
        await users.remove(username);
        return { text: `Usuario eliminado: ${username} (cuenta: ${user.account})${closed}` };
      }),
    );
}

function keptName(username: string): string {
  return `Su cuenta se llama igual: ${username} se queda como nombre de la cuenta en ${listed('forgets')}. Si no debe\nquedar, use Ctrl-C y paselo antes a otra cuenta con account: se van ${listed('moves')}, no ${staysInAccount()} de antes.\n`;
}

async function forgetName(
  mongo: Connection,
  username: string,
  personalData: readonly PersonalData[],
): Promise<void> {
  const progress = progressLine();
  let seen = 0;
  const onGuides = (step: number) => {
    seen += step;
    progress.show(`Guias revisadas: ${seen}`);
  };
  for (const endAccess of forUsers(personalData, 'endAccess')) await endAccess(mongo, username);
  for (const forgetUser of forUsers(personalData, 'forgetUser')) await forgetUser(mongo, username, onGuides);
  progress.clear();
}
