import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import { hashPassword } from '#shared/accounts/passwords.ts';
import { type ApiUser, UserStore } from '#shared/accounts/user-store.ts';
import { branchCode } from '#shared/branches/branch.ts';
import { type Run, UsageError } from '#shared/commands/run-command-line.ts';
import type { Permission } from '#shared/rooms.ts';
import { forAccounts, forUsers, type LoadPersonalData, whatGoesOn } from '../../platform/personal-data.ts';
import { formerKind, refusalOf } from '../account-kinds.ts';
import { NAME_RULE } from '../names.ts';
import { closeIfLast, requireClosable } from './close-account.ts';
import {
  example,
  keysStay,
  newUsernameArgument,
  PERMISSION_NAMES,
  parseNewAccount,
  parsePermission,
  usernameArgument,
} from './command-line.ts';
import { PASSWORD_RULE, readPassword } from './read-password.ts';
import { listed } from './user-words.ts';

/** Processes cache users for some seconds, so guides of that time may miss the move. */
const WHILE_IN_FORCE =
  'Si el usuario crea guias ahora, repita el comando en 10 segundos: las de ese tiempo pueden quedar en la cuenta de antes.';

/** What a user gets in by, beside the password. */
export const ENDED = listed('ends', 'tokens', 'sesiones');

export function addUserCommands(program: Command, run: Run, load: LoadPersonalData): void {
  const tools = userCommands(program, run, load);
  addCreate(tools);
  addSwitches(tools);
  addPassword(tools);
  addGrant(tools);
  addRevoke(tools);
  addOrigin(tools);
  addAccount(tools);
}

type Tools = ReturnType<typeof userCommands>;

/** Returns what the commands on one user have in common. */
function userCommands(program: Command, run: Run, load: LoadPersonalData) {
  const onUser = (name: string, description: string, help: string, argument = usernameArgument()) =>
    program.command(name).description(description).addArgument(argument).addHelpText('after', help);
  const withUsers = (use: (users: UserStore, mongo: Connection) => Promise<string>) =>
    run(async (mongo) => ({ text: await use(new UserStore(mongo, { allowDemo: true }), mongo) }));
  const change = (
    username: string,
    make: (users: UserStore, mongo: Connection) => Promise<ApiUser | undefined>,
    say: (user: ApiUser, mongo: Connection) => string | Promise<string>,
  ) =>
    withUsers(async (users, mongo) => {
      const user = await make(users, mongo);
      if (!user) throw new Error(`El usuario no existe: ${username}`);
      return say(user, mongo);
    });
  const describeRemaining = async (mongo: Connection, user: ApiUser) => whatGoesOn(await load(), mongo, user);
  return { load, onUser, withUsers, change, describeRemaining };
}

function addCreate({ load, onUser, withUsers }: Tools): void {
  onUser(
    'create',
    'Crea un usuario y pide su contrasena.',
    `\n${PASSWORD_RULE}\n${example('create tienda --permissions guias.create,guias.read --origin MEX01')}`,
    newUsernameArgument(),
  )
    .option('--account <cuenta>', 'cuenta a la que pertenece; si falta, la de su nombre', parseNewAccount)
    .option('--permissions <lista>', 'permisos separados por comas', parsePermissionList)
    .option('--origin <codigo>', 'sucursal donde empiezan sus guias', parseOrigin)
    .option('--test', 'su cuenta es de prueba: nada de ella es real, y lo es para siempre')
    .action(
      (
        username: string,
        { account = username, permissions = [], origin: originBranch = null, test = false },
      ) =>
        withUsers(async (users, mongo) => {
          await requireSameKind({ users, mongo, load }, account, test ? 'test' : 'customer');
          const passwordHash = await hashPassword(await readPassword());
          const kind = test && { test };
          const user = {
            username,
            account,
            permissions,
            originBranch,
            passwordHash,
            disabled: false,
            ...kind,
          };
          if (!(await users.create(user))) throw new Error(`El usuario ya existe: ${username}`);
          const inherited = await describeInheritance({ users, mongo, load }, user);
          return `Usuario creado: ${summary(user)}${inherited}${branchReminder(originBranch)}`;
        }),
    );
}

function addSwitches({ load, onUser, change, describeRemaining }: Tools): void {
  const switches = [
    ['disable', `No le deja entrar, y termina sus ${ENDED}.`, 'deshabilitado'],
    ['enable', `Le deja entrar de nuevo. No valen mas sus ${ENDED} de antes.`, 'habilitado'],
  ] as const;
  for (const [name, description, state] of switches) {
    onUser(name, description, example(`${name} tienda`)).action((username: string) =>
      change(
        username,
        async (users, mongo) => {
          // Again: a `disable` that was interrupted leaves keys.
          if (name === 'enable') await endAccess(load, mongo, username);
          const user = await users.set(username, { disabled: name === 'disable' });
          if (name === 'disable') await endAccess(load, mongo, username);
          return user;
        },
        async (user, mongo) =>
          `Usuario ${state}: ${username}${name === 'disable' ? await describeRemaining(mongo, user) : ''}`,
      ),
    );
  }
}

function addPassword({ onUser, change }: Tools): void {
  onUser(
    'password',
    `Cambia su contrasena, y termina sus tokens y sesiones. Siguen sus ${listed('ends')}.`,
    `\n${PASSWORD_RULE}\n${example('password tienda < contrasena.txt')}`,
  ).action((username: string) =>
    change(
      username,
      async (users) => users.set(username, { passwordHash: await hashPassword(await readPassword()) }),
      () => `Contrasena cambiada: ${username}\n${keysStay(username)}`,
    ),
  );
}

function addGrant({ onUser, change }: Tools): void {
  onUser('grant', 'Le da permisos.', example('grant tienda guias.read.all'))
    .argument('<permiso...>', PERMISSION_NAMES, parsePermissions)
    .action((username: string, permissions: Permission[]) =>
      change(
        username,
        (users) => users.grant(username, permissions),
        (user) => `Permisos cambiados: ${summary(user)}`,
      ),
    );
}

function addRevoke({ load, onUser, change, describeRemaining }: Tools): void {
  onUser(
    'revoke',
    `Le quita permisos; sin nombrar ninguno, termina sus ${ENDED}.`,
    example('revoke tienda guias.read.all\n  npm run admin -- revoke tienda'),
  )
    .argument('[permiso...]', PERMISSION_NAMES, parsePermissions)
    .action((username: string, permissions: Permission[] = []) =>
      permissions.length === 0
        ? change(
            username,
            async (users, mongo) => {
              const user = await users.endTokens(username);
              await endAccess(load, mongo, username);
              return user;
            },
            async (user, mongo) =>
              `Terminados: ${ENDED} de ${username}${await describeRemaining(mongo, user)}`,
          )
        : change(
            username,
            (users) => users.revoke(username, permissions),
            async (user, mongo) =>
              `Permisos cambiados: ${summary(user)}${await describeRemaining(mongo, user)}`,
          ),
    );
}

function addOrigin({ onUser, change }: Tools): void {
  onUser('origin', 'Fija la sucursal donde empiezan sus guias.', example('origin tienda MEX01'))
    .argument('[codigo]', 'de la sucursal', parseOrigin)
    .option('--none', 'ninguna')
    .action((username: string, code: string | undefined, { none = false }) => {
      if ((code === undefined) !== none) throw new UsageError('Indique un codigo, o bien --none');
      return change(
        username,
        (users) => users.set(username, { originBranch: code ?? null }),
        (user) => `Origen cambiado: ${summary(user)}${branchReminder(user.originBranch)}`,
      );
    });
}

function addAccount({ load, onUser, change, describeRemaining }: Tools): void {
  onUser(
    'account',
    `Lo pasa a una cuenta, con sus ${listed('moves')}. Los usuarios de una cuenta ven las mismas guias.`,
    example('account tienda2 tienda'),
  )
    .argument('<cuenta>', NAME_RULE, parseNewAccount)
    .action((username: string, account: string) => {
      let [inherited, remaining, closed] = ['', '', ''];
      return change(
        username,
        async (users, mongo) => {
          const user = await users.find(username);
          if (user?.canaryOf !== undefined)
            throw new Error(`${username} es del cliente de prueba (canary), y no cambia de cuenta`);
          if (user) await requireSameKind({ users, mongo, load }, account, user.test ? 'test' : 'customer');
          // A repeated command finds the user's own guides there.
          if (user?.account !== account)
            inherited = await describeInheritance({ users, mongo, load }, { username, account });
          if (user && user.account !== account) {
            const personalData = await load();
            await requireClosable(mongo, user, personalData);
            closed = await closeIfLast(mongo, user, personalData);
          }
          const changed = await users.set(username, { account });
          if (user) remaining = await describeRemaining(mongo, user);
          return changed;
        },
        async (user, mongo) => {
          let seen = 0;
          const onGuides = (step: number) => {
            seen += step;
            process.stdout.write(`Guias revisadas: ${seen}\n`);
          };
          for (const moveToAccount of forUsers(await load(), 'moveToAccount'))
            await moveToAccount(mongo, username, account, onGuides);
          return `Cuenta cambiada: ${summary(user)}${inherited}${remaining}${closed}\n${WHILE_IN_FORCE}`;
        },
      );
    });
}

/** Names of an account's other users that are shown. */
const MAX_NAMES = 5;

/** Returns what a user gets who joins an account, in a line for the operator; empty if the account is new. */
async function describeInheritance(
  { users, mongo, load }: { users: UserStore; mongo: Connection; load: LoadPersonalData },
  { username, account }: Pick<ApiUser, 'username' | 'account'>,
): Promise<string> {
  const others: string[] = [];
  for await (const other of users.list({ account }))
    if (other.username !== username) others.push(other.username);
  if (others.length > 0) {
    const more = others.length > MAX_NAMES ? ', ...' : '';
    return `\nVe las guias de la cuenta, como ${others.slice(0, MAX_NAMES).join(', ')}${more}`;
  }
  const inherited: string[] = [];
  for (const describe of forAccounts(await load(), 'describeInherited'))
    inherited.push(await describe(mongo, account));
  const stored = inherited.filter((words) => words !== '').join(' y ');
  if (stored === '') return '';
  return `\nLa cuenta ${account} ya existio: ${username} tiene ahora ${stored}. Si es otro cliente, use otra cuenta.`;
}

/**
 * Ends what lets a user in beside passwords and tokens. Tokens must end before: who has one could make another key
 * meanwhile.
 */
async function endAccess(load: LoadPersonalData, mongo: Connection, username: string): Promise<void> {
  for (const end of forUsers(await load(), 'endAccess')) await end(mongo, username);
}

/** @throws Error if the account has users or guides of another kind. */
async function requireSameKind(
  { users, mongo, load }: { users: UserStore; mongo: Connection; load: LoadPersonalData },
  account: string,
  wanted: 'customer' | 'test',
): Promise<void> {
  const kinds = await users.kindsOf([account]);
  const kind = kinds.get(account) ?? (await formerKind(await load(), mongo, account));
  const reason = refusalOf(kind, wanted);
  if (reason !== undefined) throw new Error(`La cuenta ${account} ${reason}. Use otra cuenta`);
}

function parsePermissionList(names: string): Permission[] {
  return names.split(',').reduce<Permission[]>((before, name) => parsePermissions(name, before), []);
}

/** As Commander's variadic arguments demand. */
function parsePermissions(name: string, before: Permission[] = []): Permission[] {
  return [...new Set([...before, parsePermission(name.trim())])];
}

/** Only checks the pattern: branches belong to another service. */
function parseOrigin(code: string): string {
  if (!/^[A-Z0-9]{2,20}$/.test(branchCode(code))) {
    throw new UsageError('El codigo de sucursal debe tener de 2 a 20 letras A-Z o digitos');
  }
  return branchCode(code);
}

function branchReminder(origin: string | null): string {
  if (origin === null) return '';
  return `\nRecuerde: aqui no se comprueba que la sucursal ${origin} exista, este activa y sea origen.`;
}

function summary({
  username,
  account,
  permissions,
  originBranch,
  test = false,
}: Pick<ApiUser, 'username' | 'account' | 'permissions' | 'originBranch'> & { test?: boolean }): string {
  const allowed = permissions.join(', ') || 'ninguno';
  const kind = test ? ', de prueba' : '';
  return `${username} (cuenta: ${account}${kind}; permisos: ${allowed}; origen: ${originBranch ?? 'ninguno'})`;
}
