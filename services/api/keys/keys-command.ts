import type { Command } from 'commander';
import { UserStore } from '#shared/accounts/user-store.ts';
import { type Run, UsageError } from '#shared/commands/run-command-line.ts';
import { aligned, example, usernameArgument } from '../accounts/commands/command-line.ts';
import { type Key, KeyStore, MAX_KEYS } from './key-store.ts';

/** `npm run admin -- keys …`: the first key of a customer, and what an operator sees of keys. */
export function addKeysCommand(program: Command, run: Run): void {
  const keys = program.command('keys').description('Las llaves de los programas de un usuario.');

  keys
    .command('create')
    .description('Crea una llave y la muestra una sola vez.')
    .addArgument(usernameArgument())
    .argument('<nombre>', 'para que es, hasta 60 caracteres')
    .addHelpText('after', example('keys create tienda tienda-produccion'))
    .action((username: string, name: string) =>
      run(async (mongo, announce) => {
        const user = await new UserStore(mongo, { allowDemo: true }).find(username);
        if (!user) throw new Error(`El usuario no existe: ${username}`);
        if (user.disabled) throw new Error(`El usuario esta deshabilitado: ${username}`);
        await announce();
        const made = await new KeyStore(mongo).create(
          { username, name: nameOf(name), byOperator: true },
          user.test,
        );
        if (!made) throw new Error(`${username} tiene ya ${MAX_KEYS} llaves: termine una con keys end`);
        return { text: `Llave ${made.key.id} de ${username}, que no se muestra otra vez:\n${made.text}` };
      }),
    );

  keys
    .command('list')
    .description('Muestra las llaves, de un usuario o todas.')
    .argument('[usuario]', 'de quien son')
    .addHelpText('after', example('keys list tienda'))
    .action((username: string | undefined) =>
      run(async (mongo) => {
        const keys = new KeyStore(mongo);
        const found = username === undefined ? await keys.listAll() : await keys.list(username);
        return { text: found.length > 0 ? tableOf(found) : `${username ?? 'Nadie'} no tiene llaves` };
      }),
    );

  keys
    .command('end')
    .description('Termina una llave: en menos de 10 segundos ya no vale.')
    .addArgument(usernameArgument())
    .argument('<id>', 'de la llave, como lo muestra keys list')
    .addHelpText('after', example('keys end tienda 7d3f7f3c-6a54-4ef8-9a3a-0f4f7f3f5b51'))
    .action((username: string, id: string) =>
      run(async (mongo, announce) => {
        await announce();
        const ended = await new KeyStore(mongo).end(username, id);
        if (!ended) throw new Error(`${username} no tiene la llave ${id}`);
        return { text: `Llave terminada: ${ended.name} (${ended.start}…)` };
      }),
    );
}

function nameOf(text: string): string {
  const name = text.trim();
  if (/^[^\p{Cc}\p{Cs}]{1,60}$/u.test(name)) return name;
  throw new UsageError('El nombre de una llave tiene de 1 a 60 caracteres, sin caracteres de control');
}

function tableOf(keys: readonly Key[]): string {
  const rows = keys.map(({ id, username, name, start, permissions, createdAt, expiresAt, usedAt }) => [
    username,
    id,
    name,
    `${start}…`,
    permissions?.join(' ') ?? 'los del usuario',
    dayOf(createdAt),
    dayOf(expiresAt),
    dayOf(usedAt),
  ]);
  return aligned([['USUARIO', 'ID', 'NOMBRE', 'EMPIEZA', 'PERMISOS', 'CREADA', 'VENCE', 'ULTIMO USO'], ...rows]);
}

function dayOf(moment: Date | undefined): string {
  return moment?.toISOString().slice(0, 10) ?? '-';
}
