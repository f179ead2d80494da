import { Argument, Command, CommanderError } from 'commander';
import { Type } from 'typebox';
import { hashPassword } from '#shared/auth/passwords.ts';
import { type ApiUser, PERMISSIONS, type Permission, UserStore } from '#shared/auth/user-store.ts';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import { branchCode } from '#shared/contracts/branch.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { PASSWORD_RULE, readPassword } from './accounts/read-password.ts';

/**
 * `npm run admin -- …`: the API's users. Exit code 0 done, 1 refused or failed, 2 wrong usage.
 *
 * A password comes from a terminal without echo or from standard input, never from an argument: arguments
 * stay in the shell's history and are seen by everyone who lists processes. For the same reason no message
 * repeats an argument that was not expected.
 */

/** Commander's words in ours. */
const WORDS: Readonly<Record<string, string>> = {
  'Usage:': 'Uso:',
  'Arguments:': 'Argumentos:',
  'Options:': 'Opciones:',
  'Commands:': 'Comandos:',
  '[options]': '[opciones]',
  '[command]': '<comando>',
};
const USAGE: Readonly<Record<string, string>> = {
  'commander.excessArguments': 'Sobran argumentos',
  'commander.missingArgument': 'Falta un argumento',
  'commander.optionMissingArgument': 'Falta el valor de una opcion',
  'commander.unknownCommand': 'Comando desconocido',
  'commander.unknownOption': 'Opcion desconocida',
};

class UsageError extends Error {}
class Refusal extends Error {}

async function run(argv: string[]): Promise<number> {
  try {
    await commands().parseAsync(argv);
    return 0;
  } catch (error) {
    return explain(error);
  }
}

function commands(): Command {
  const program = new Command('npm run admin --')
    .description('Administra los usuarios de la API. Lee MONGODB_URI del entorno.')
    .helpOption('-h, --help', 'muestra esta ayuda')
    .helpCommand(false)
    .configureHelp({ styleTitle: inSpanish, styleUsage: inSpanish, styleSubcommandTerm: inSpanish })
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .addHelpText('after', `\nPermisos: ${PERMISSIONS.join(', ')}\n${PASSWORD_RULE}`)
    .addHelpText('after', example('create --help'));
  program
    .command('create')
    .description('Crea un usuario y pide su contrasena.')
    .addArgument(username())
    .option('--permissions <lista>', 'permisos separados por comas', permissionList)
    .option('--origin <codigo>', 'sucursal donde empiezan sus guias', originCode)
    .addHelpText('after', `\n${PASSWORD_RULE}`)
    .addHelpText('after', example('create tienda --permissions guias.create,guias.read --origin MEX01'))
    .action((name, options) => withUsers((users) => create(users, name, options)));
  program
    .command('disable')
    .description('No le deja entrar ni usar los tokens que tiene.')
    .addArgument(username())
    .addHelpText('after', example('disable tienda'))
    .action((name) => withUsers((users) => setDisabled(users, name, true)));
  program
    .command('enable')
    .description('Le deja entrar de nuevo.')
    .addArgument(username())
    .addHelpText('after', example('enable tienda'))
    .action((name) => withUsers((users) => setDisabled(users, name, false)));
  program
    .command('password')
    .description('Cambia su contrasena. Los tokens que tiene valen hasta que expiren.')
    .addArgument(username())
    .addHelpText('after', `\n${PASSWORD_RULE}`)
    .addHelpText('after', example('password tienda < contrasena.txt'))
    .action((name) => withUsers((users) => resetPassword(users, name)));
  for (const [command, description] of [
    ['grant', 'Le da permisos.'],
    ['revoke', 'Le quita permisos.'],
  ] as const) {
    program
      .command(command)
      .description(description)
      .addArgument(username())
      .argument('<permiso...>', PERMISSIONS.join(', '), permissions)
      .addHelpText('after', example(`${command} tienda guias.read.all`))
      .action((name, names) => withUsers((users) => changePermissions(users, name, command, names)));
  }
  program
    .command('origin')
    .description('Fija la sucursal donde empiezan sus guias.')
    .addArgument(username())
    .argument('[codigo]', 'de la sucursal', originCode)
    .option('--none', 'ninguna')
    .addHelpText('after', example('origin tienda MEX01'))
    .action((name, code, { none = false }) => {
      if ((code === undefined) !== none) throw new UsageError('Indique un codigo, o bien --none');
      return withUsers((users) => setOrigin(users, name, code ?? null));
    });
  program
    .command('list')
    .description('Muestra los usuarios.')
    .option('--json', 'en JSON')
    .addHelpText('after', example('list --json'))
    .action(({ json = false }) => withUsers((users) => list(users, json)));
  return program;
}

async function create(
  users: UserStore,
  username: string,
  { permissions = [], origin = null }: { permissions?: Permission[]; origin?: string | null },
): Promise<void> {
  const passwordHash = await hashPassword(await readPassword());
  const user = { username, passwordHash, permissions, originBranch: origin, disabled: false };
  if (!(await users.create(user))) throw new Refusal(`El usuario ya existe: ${username}`);
  say(`Usuario creado: ${summary(user)}`);
  remindOfBranch(origin);
}

async function setDisabled(users: UserStore, username: string, disabled: boolean): Promise<void> {
  known(username, await users.set(username, { disabled }));
  say(`Usuario ${disabled ? 'deshabilitado' : 'habilitado'}: ${username}`);
}

async function resetPassword(users: UserStore, username: string): Promise<void> {
  const passwordHash = await hashPassword(await readPassword());
  known(username, await users.set(username, { passwordHash }));
  say(`Contrasena cambiada: ${username}`);
}

async function changePermissions(
  users: UserStore,
  username: string,
  how: 'grant' | 'revoke',
  permissions: Permission[],
): Promise<void> {
  const user = known(username, await users[how](username, permissions));
  say(`Permisos cambiados: ${summary(user)}`);
}

async function setOrigin(users: UserStore, username: string, originBranch: string | null): Promise<void> {
  const user = known(username, await users.set(username, { originBranch }));
  say(`Origen cambiado: ${summary(user)}`);
  remindOfBranch(originBranch);
}

async function list(users: UserStore, json: boolean): Promise<void> {
  const all = await users.list();
  if (json) return say(JSON.stringify(all, null, 2));
  const rows = all.map(({ username, permissions, originBranch, disabled }) => [
    username,
    disabled ? 'deshabilitado' : 'activo',
    originBranch ?? '-',
    permissions.join(' ') || '-',
  ]);
  say(table([['USUARIO', 'ESTADO', 'ORIGEN', 'PERMISOS'], ...rows]));
}

function known(username: string, user: ApiUser | undefined): ApiUser {
  if (!user) throw new Refusal(`El usuario no existe: ${username}`);
  return user;
}

async function withUsers(use: (users: UserStore) => Promise<void>): Promise<void> {
  const { MONGODB_URI } = loadConfig(Type.Object(mongoSettings), process.env);
  const mongo = await connectMongo(MONGODB_URI, createLogger('admin', 'silent'));
  try {
    await use(new UserStore(mongo));
  } finally {
    await mongo.close();
  }
}

/** 1–64 visible characters without blanks: the name travels in a header, which loses blanks at its ends. */
function username(): Argument {
  return new Argument('<usuario>', 'de 1 a 64 caracteres visibles, sin espacios').argParser((name) => {
    const composed = name.normalize('NFC');
    if (/^[^\p{C}\p{Z}]{1,64}$/u.test(composed)) return composed;
    throw new UsageError('El usuario debe tener de 1 a 64 caracteres visibles, sin espacios');
  });
}

function permissionList(names: string): Permission[] {
  return names.split(',').reduce<Permission[]>((before, name) => permissions(name, before), []);
}

/** Adds the permission of this name to those before it. */
function permissions(name: string, before: Permission[] = []): Permission[] {
  const permission = PERMISSIONS.find((each) => each === name.trim());
  if (!permission) throw new UsageError(`Permiso desconocido. Los permisos son: ${PERMISSIONS.join(', ')}`);
  return [...new Set([...before, permission])];
}

function originCode(code: string): string {
  if (!/^[A-Z0-9]{2,20}$/.test(branchCode(code))) {
    throw new UsageError('El codigo de sucursal debe tener de 2 a 20 letras A-Z o digitos');
  }
  return branchCode(code);
}

function summary({ username, permissions, originBranch }: ApiUser): string {
  return `${username} (permisos: ${permissions.join(', ') || 'ninguno'}; origen: ${originBranch ?? 'ninguno'})`;
}

/** Branches belong to another service, so this one cannot look. */
function remindOfBranch(origin: string | null): void {
  if (origin)
    say(`Recuerde: aqui no se comprueba que la sucursal ${origin} exista, este activa y sea origen.`);
}

function table(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function inSpanish(text: string): string {
  return Object.entries(WORDS).reduce((result, [word, ours]) => result.replace(word, ours), text);
}

function example(command: string): string {
  return `\nEjemplo:\n  npm run admin -- ${command}`;
}

/** Says on standard error what went wrong. @returns the exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0; // the help that was asked for
    return complain(`${USAGE[error.code] ?? 'Falta un comando'}. Vea npm run admin -- --help`, 2);
  }
  if (error instanceof UsageError || error instanceof ConfigError) return complain(error.message, 2);
  if (isTransientError(error))
    return complain('La base de datos de MONGODB_URI no responde, intente de nuevo', 1);
  const { name, message } = error as Error;
  if (name === 'ExitPromptError' || name === 'AbortError' || name === 'AbortPromptError') {
    return complain('Cancelado: no se recibio la contrasena', 1);
  }
  return complain(message, 1);
}

function complain(text: string, exitCode: number): number {
  process.stderr.write(`${text}\n`);
  return exitCode;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.exitCode = await run(process.argv);
