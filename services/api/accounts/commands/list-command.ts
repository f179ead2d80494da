import { type Command, Option } from 'commander';
import { kindOf, type ListedUser, type UserFilter, UserStore } from '#shared/accounts/user-store.ts';
import { writeToOutput } from '#shared/commands/broken-pipe.ts';
import { formatCsv, formatRows } from '#shared/commands/csv.ts';
import { type Run, UsageError } from '#shared/commands/run-command-line.ts';
import { aligned } from '#shared/commands/terminal.ts';
import { USER_COLUMNS } from '../customers/customer-file.ts';
import { NAME_RULE } from '../names.ts';
import { example, parseAccount, parsePermission } from './command-line.ts';

type ListOptions = Omit<UserFilter, 'text'> & { json?: true; csv?: true };

export function addListCommand(program: Command, run: Run): void {
  program
    .command('list')
    .description('Muestra los usuarios.')
    .argument('[texto]', 'parte del usuario o de su cuenta')
    .option('--account <cuenta>', `de la cuenta, ${NAME_RULE}`, parseAccount)
    .addOption(new Option('--permission <permiso>', 'con el permiso').argParser(parsePermission))
    .option('--disabled', 'los deshabilitados')
    .option('--test', 'los de cuentas de prueba, y los del cliente de prueba (canary), que sin esto no salen')
    .option('--json', 'en JSON')
    .option('--csv', 'en CSV, con hasta cuando vale una contrasena temporal')
    .addHelpText(
      'after',
      '\nEstado temporal: el cliente aun no cambia su contrasena temporal; vencida: ya no puede, use reset.',
    )
    .addHelpText(
      'after',
      `${example('list --account tienda')}\n  npm run --silent admin -- list --csv > usuarios.csv`,
    )
    .action((text: string | undefined, { json, csv, ...filter }: ListOptions) => {
      if (json && csv) throw new UsageError('Indique --json o --csv, uno solo');
      return run(async (mongo, announce) => {
        const users = new UserStore(mongo, { allowDemo: true });
        const found = users.list({ ...filter, text });
        if (!csv) {
          const all: ListedUser[] = [];
          for await (const user of found) all.push(user);
          return { text: json ? JSON.stringify(all, null, 2) : userTable(all, await users.now()) };
        }
        await announce();
        await writeToOutput(csvOf(found, await users.now()));
        return { text: '' };
      });
    });
}

/** Stands behind the name of an account. */
const NOTES = { customer: '', test: ' (prueba)', canary: ' (canary)' };

function userTable(users: readonly ListedUser[], now: Date): string {
  const rows = users.map((user) => [
    user.username,
    `${user.account}${NOTES[kindOf(user)]}`,
    stateOf(user, now),
    user.originBranch ?? '-',
    user.permissions.join(' ') || '-',
  ]);
  return aligned([['USUARIO', 'CUENTA', 'ESTADO', 'ORIGEN', 'PERMISOS'], ...rows]);
}

/** The first columns are those of a file of customers. */
async function* csvOf(users: AsyncIterable<ListedUser>, now: Date): AsyncGenerator<string> {
  yield formatCsv([...USER_COLUMNS, 'Estado', 'TemporalHasta'], []);
  for await (const user of users) {
    const { username, account, permissions, originBranch, test, oneTimeUntil } = user;
    const cells = [username, account, permissions.join(' '), originBranch ?? '', test ? 'si' : 'no'];
    yield formatRows([[...cells, stateOf(user, now), oneTimeUntil?.toISOString() ?? '']]);
  }
}

function stateOf({ disabled, oneTimeUntil }: ListedUser, now: Date): string {
  if (disabled) return 'deshabilitado';
  if (!oneTimeUntil) return 'activo';
  return oneTimeUntil > now ? 'temporal' : 'vencida';
}
