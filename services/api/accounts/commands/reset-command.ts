import type { Command } from 'commander';
import { hashPassword } from '#shared/accounts/passwords.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { type Run, typedPath } from '#shared/commands/run-command-line.ts';
import { ONE_TIME_MS, oneTimePassword, PasswordFile } from '../customers/one-time-passwords.ts';
import { ONE_TIME_DAYS } from '../password-rule.ts';
import { example, keysStay, usernameArgument } from './command-line.ts';
import { listed } from './user-words.ts';

export function addResetCommand(program: Command, run: Run): void {
  program
    .command('reset')
    .description(
      `Le da una contrasena temporal, y termina sus tokens y sesiones. Siguen sus ${listed('ends')}.`,
    )
    .addArgument(usernameArgument())
    .option('--passwords <archivo>', 'archivo nuevo, que solo usted puede leer; si falta, se muestra')
    .addHelpText(
      'after',
      `\nNo sirve para entrar: dentro de ${ONE_TIME_DAYS} dias el cliente la cambia con POST /api/auth/password.`,
    )
    .addHelpText('after', example('reset tienda'))
    .action((username: string, options: { passwords?: string }) =>
      run(async (mongo, announce) => {
        const users = new UserStore(mongo, { allowDemo: true });
        const user = await users.find(username);
        if (!user) throw new Error(`El usuario no existe: ${username}`);
        const password = oneTimePassword();
        const oneTimeUntil = await users.now(ONE_TIME_MS);
        const path = options.passwords && typedPath(options.passwords);
        await announce();
        if (path) {
          const file = await PasswordFile.create(path);
          await file.append([{ ...user, password, until: oneTimeUntil }]).finally(() => file.close());
        }
        const passwordHash = await hashPassword(password);
        if (!(await users.set(username, { passwordHash, oneTimeUntil })))
          throw new Error(`El usuario no existe: ${username}`);
        const lines = [
          `Contrasena temporal de ${username}, hasta ${oneTimeUntil.toISOString().slice(0, 10)}: ${path ? `en ${path}` : password}`,
          keysStay(username),
          ...(user.disabled ? ['El usuario esta deshabilitado: enable le deja entrar.'] : []),
        ];
        return { text: lines.join('\n') };
      }),
    );
}
