import type { Command } from 'commander';
import type { Permission, UserStore } from '#shared/auth/user-store.ts';
import {
  changePassword,
  changePermissions,
  createUser,
  endTokens,
  setAccount,
  setDisabled,
  setOrigin,
} from './accounts.ts';
import {
  NAME_RULE,
  PERMISSION_NAMES,
  parseAccount,
  parseOrigin,
  parsePermission,
  parsePermissionList,
  UsageError,
  usernameArgument,
} from './arguments.ts';
import { PASSWORD_RULE, readPassword } from './read-password.ts';
import { summary, userTable } from './report.ts';

/** Each process knows a user for some seconds more as the user was: guides of that time may miss the move. */
const WHILE_IN_FORCE =
  'Si el usuario crea guias ahora, repita el comando en 10 segundos: las de ese tiempo pueden quedar en la cuenta de antes.';

/** The guides of users, as far as the commands change them. */
type MovableGuides = { moveToAccount(username: string, account: string): AsyncIterable<number> };
/** Runs a command on users and guides, records it in the audit trail, and then prints the text that it returns. */
type WithUsers = (use: (users: UserStore, guides: MovableGuides) => Promise<string>) => Promise<void>;

/** Adds the commands, each of which says what it did. */
export function addCommands(program: Command, withUsers: WithUsers): void {
  addCreate(program, withUsers);
  addSwitch(program, 'disable', 'No le deja entrar, y termina sus tokens y sesiones.', withUsers);
  addSwitch(program, 'enable', 'Le deja entrar de nuevo; los tokens de antes no valen mas.', withUsers);
  addPassword(program, withUsers);
  addGrant(program, withUsers);
  addRevoke(program, withUsers);
  addOrigin(program, withUsers);
  addAccount(program, withUsers);
  addList(program, withUsers);
}

function addCreate(program: Command, withUsers: WithUsers): void {
  program
    .command('create')
    .description('Crea un usuario y pide su contrasena.')
    .addArgument(usernameArgument())
    .option('--account <cuenta>', 'cuenta a la que pertenece; si falta, la de su nombre', parseAccount)
    .option('--permissions <lista>', 'permisos separados por comas', parsePermissionList)
    .option('--origin <codigo>', 'sucursal donde empiezan sus guias', parseOrigin)
    .addHelpText('after', `\n${PASSWORD_RULE}`)
    .addHelpText('after', example('create tienda --permissions guias.create,guias.read --origin MEX01'))
    .action((username, { account = username, permissions = [], origin = null }) =>
      withUsers(async (users) => {
        const password = await readPassword();
        const user = await createUser(users, { username, account, password, permissions, origin });
        return `Usuario creado: ${summary(user)}${branchReminder(origin)}`;
      }),
    );
}

function addSwitch(
  program: Command,
  how: 'disable' | 'enable',
  description: string,
  withUsers: WithUsers,
): void {
  program
    .command(how)
    .description(description)
    .addArgument(usernameArgument())
    .addHelpText('after', example(`${how} tienda`))
    .action((username) =>
      withUsers(async (users) => {
        const { disabled } = await setDisabled(users, username, how === 'disable');
        return `Usuario ${disabled ? 'deshabilitado' : 'habilitado'}: ${username}`;
      }),
    );
}

function addPassword(program: Command, withUsers: WithUsers): void {
  program
    .command('password')
    .description('Cambia su contrasena, y termina sus tokens y sesiones.')
    .addArgument(usernameArgument())
    .addHelpText('after', `\n${PASSWORD_RULE}`)
    .addHelpText('after', example('password tienda < contrasena.txt'))
    .action((username) =>
      withUsers(async (users) => {
        await changePassword(users, username, await readPassword());
        return `Contrasena cambiada: ${username}`;
      }),
    );
}

function addGrant(program: Command, withUsers: WithUsers): void {
  program
    .command('grant')
    .description('Le da permisos.')
    .addArgument(usernameArgument())
    .argument('<permiso...>', PERMISSION_NAMES, parsePermission)
    .addHelpText('after', example('grant tienda guias.read.all'))
    .action((username, permissions) =>
      withUsers(async (users) => {
        const user = await changePermissions(users, username, 'grant', permissions);
        return `Permisos cambiados: ${summary(user)}`;
      }),
    );
}

function addRevoke(program: Command, withUsers: WithUsers): void {
  program
    .command('revoke')
    .description('Le quita permisos; sin nombrar ninguno, termina sus tokens y sesiones.')
    .addArgument(usernameArgument())
    .argument('[permiso...]', PERMISSION_NAMES, parsePermission)
    .addHelpText('after', example('revoke tienda guias.read.all\n  npm run admin -- revoke tienda'))
    .action((username, permissions: Permission[] = []) =>
      withUsers(async (users) => {
        if (permissions.length === 0) {
          await endTokens(users, username);
          return `Tokens y sesiones terminados: ${username}`;
        }
        const user = await changePermissions(users, username, 'revoke', permissions);
        return `Permisos cambiados: ${summary(user)}`;
      }),
    );
}

function addOrigin(program: Command, withUsers: WithUsers): void {
  program
    .command('origin')
    .description('Fija la sucursal donde empiezan sus guias.')
    .addArgument(usernameArgument())
    .argument('[codigo]', 'de la sucursal', parseOrigin)
    .option('--none', 'ninguna')
    .addHelpText('after', example('origin tienda MEX01'))
    .action((username, code: string | undefined, { none = false }) => {
      if ((code === undefined) !== none) throw new UsageError('Indique un codigo, o bien --none');
      return withUsers(async (users) => {
        const user = await setOrigin(users, username, code ?? null);
        return `Origen cambiado: ${summary(user)}${branchReminder(user.originBranch)}`;
      });
    });
}

function addAccount(program: Command, withUsers: WithUsers): void {
  program
    .command('account')
    .description(
      'Lo pasa a una cuenta, con las guias que creo. Los usuarios de una cuenta ven las mismas guias.',
    )
    .addArgument(usernameArgument())
    .argument('<cuenta>', NAME_RULE, parseAccount)
    .addHelpText('after', example('account tienda2 tienda'))
    .action((username, account: string) =>
      withUsers(async (users, guides) => {
        const user = await setAccount(users, username, account);
        let seen = 0;
        for await (const step of guides.moveToAccount(username, account)) {
          seen += step;
          process.stdout.write(`Guias revisadas: ${seen}\n`);
        }
        return `Cuenta cambiada: ${summary(user)}\n${WHILE_IN_FORCE}`;
      }),
    );
}

function addList(program: Command, withUsers: WithUsers): void {
  program
    .command('list')
    .description('Muestra los usuarios.')
    .option('--json', 'en JSON')
    .addHelpText('after', example('list --json'))
    .action(({ json = false }) =>
      withUsers(async (users) => {
        const all = await users.list();
        return json ? JSON.stringify(all, null, 2) : userTable(all);
      }),
    );
}

/** Formats an example for the end of a command's help. */
export function example(command: string): string {
  return `\nEjemplo:\n  npm run admin -- ${command}`;
}

/** Reminds the operator that the branch was not looked up: branches belong to another service. */
function branchReminder(origin: string | null): string {
  if (origin === null) return '';
  return `\nRecuerde: aqui no se comprueba que la sucursal ${origin} exista, este activa y sea origen.`;
}
