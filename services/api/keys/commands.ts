import type { Command } from 'commander';
import { UserStore } from '#shared/accounts/user-store.ts';
import { UsageError } from '#shared/commands/run-command-line.ts';
import { aligned } from '#shared/commands/terminal.ts';
import { MAX_KEYS } from '#shared/keys/key-model.ts';
import { example, usernameArgument } from '../accounts/commands/command-line.ts';
import type { CommandTools } from '../platform/command-tools.ts';
import { whatGoesOn } from '../platform/personal-data.ts';
import { isPrintable, MAX_NAME } from './key.ts';
import { type Key, KeyStore } from './key-store.ts';

/** `npm run admin -- keys …`: the first key of a customer, and what an operator sees of keys. */
export function addCommands(program: Command, { run, loadPersonalData: load }: CommandTools): void {
  const keys = program
    .command('keys')
    .description('Crea, muestra y termina las llaves con que entran los programas de un usuario.')
    .helpCommand(false);

  keys
    .command('create')
    .description('Crea una llave y la muestra una sola vez.')
    .addArgument(usernameArgument())
    .argument('<nombre>', `para que es, hasta ${MAX_NAME} caracteres`)
    .addHelpText('after', example('keys create tienda tienda-produccion'))
    .action((username: string, text: string) => {
      const name = parseName(text);
      return run(
        async (mongo, announce) => {
          const user = await new UserStore(mongo, { allowDemo: true }).find(username);
          if (!user) throw new Error(`El usuario no existe: ${username}`);
          if (user.disabled) throw new Error(`El usuario esta deshabilitado: ${username}`);
          await announce();
          const made = await new KeyStore(mongo).create({ username, name }, user.test);
          if (!made) throw new Error(`${username} tiene ya ${MAX_KEYS} llaves: termine una con keys end`);
          const { id } = made.key;
          return {
            text: `Llave ${id} de ${username}, que no se muestra otra vez:\n${made.text}`,
            details: { key: id },
          };
        },
        { action: 'admin.keys.create', subject: username, details: { name } },
      );
    });

  keys
    .command('list')
    .description('Muestra las llaves, de un usuario o todas.')
    .addArgument(usernameArgument('[usuario]'))
    .addHelpText('after', example('keys list tienda'))
    .action((username: string | undefined) =>
      run(
        async (mongo) => {
          const keys = new KeyStore(mongo);
          const found = username === undefined ? await keys.listAll() : await keys.list(username);
          return { text: found.length > 0 ? tableOf(found) : `${username ?? 'Nadie'} no tiene llaves` };
        },
        { action: 'admin.keys.list', subject: username },
      ),
    );

  keys
    .command('end')
    .description('Termina una llave: en menos de 10 segundos ya no vale.')
    .addArgument(usernameArgument())
    .argument('<id>', 'de la llave, como lo muestra keys list')
    .addHelpText('after', example('keys end tienda 7d3f7f3c-6a54-4ef8-9a3a-0f4f7f3f5b51'))
    .action((username: string, id: string) =>
      run(
        async (mongo, announce) => {
          await announce();
          const ended = await new KeyStore(mongo).end(username, id);
          if (!ended) throw new Error(`${username} no tiene esa llave: vea keys list ${username}`);
          const user = await new UserStore(mongo).find(username);
          const whose = { username, account: user?.account, keyStart: ended.start };
          const remaining = await whatGoesOn(await load(), mongo, whose);
          return {
            text: `Llave terminada: ${ended.name} (${ended.start}…)${remaining}`,
            details: { name: ended.name },
          };
        },
        { action: 'admin.keys.end', subject: username, details: { key: id } },
      ),
    );
}

function parseName(text: string): string {
  const name = text.trim();
  if (name !== '' && [...name].length <= MAX_NAME && isPrintable(name)) return name;
  throw new UsageError(`El nombre de una llave tiene de 1 a ${MAX_NAME} caracteres, sin los de control`);
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
  return aligned([
    ['USUARIO', 'ID', 'NOMBRE', 'EMPIEZA', 'PERMISOS', 'CREADA', 'VENCE', 'ULTIMO USO'],
    ...rows,
  ]);
}

function dayOf(moment: Date | undefined): string {
  return moment?.toISOString().slice(0, 10) ?? '-';
}
