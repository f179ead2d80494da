import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import { type CommandResult, operatorOf } from '#shared/audit/record-command.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { InvalidFileError, LineReport, namingFile } from '#shared/commands/csv.ts';
import { type Run, typedPath, UsageError } from '#shared/commands/run-command-line.ts';
import { progressLine } from '#shared/commands/terminal.ts';
import type { LoadPersonalData, PersonalData } from '../../platform/personal-data.ts';
import { type Comparison, compareCustomers } from '../customers/compare-customers.ts';
import { createCustomers } from '../customers/create-customers.ts';
import { CUSTOMER_COLUMNS, readCustomers, refuseWrongLines } from '../customers/customer-file.ts';
import { PasswordFile } from '../customers/one-time-passwords.ts';
import { NAME_RULE } from '../names.ts';
import { ONE_TIME_DAYS } from '../password-rule.ts';
import { example } from './command-line.ts';

/** Accounts with guides of former users that are named. */
const MAX_FORMER = 5;

const HELP = `
El archivo es CSV en UTF-8, separado por , o ; con estas columnas, sin las que no use:
  ${CUSTOMER_COLUMNS.join(',')}
Usuario es obligatorio, ${NAME_RULE}. Sin Cuenta, es la de su nombre. Permisos van separados por espacios; los que
alcanzan otras cuentas se dan con grant. Prueba es si o no. Los cuatro limites son de la cuenta; vacios, los de la configuracion.

Cada usuario recibe una contrasena temporal, que no sirve para entrar: dentro de ${ONE_TIME_DAYS} dias el cliente la
cambia con POST /api/auth/password. Si la carga se interrumpe, repitala con otro archivo de contrasenas: los usuarios
que ya estan quedan como estan. Si un usuario esta en los dos archivos, vale la contrasena del segundo.

No hay restore: la carga solo agrega, y sus usuarios quiza ya cambiaron su contrasena. Quite los que sobran con remove.

Diez mil usuarios tardan mas de un minuto en dos nucleos libres: cada uno cuesta unos 15 ms de nucleo.`;

export function addImportCommand(program: Command, run: Run, load: LoadPersonalData): void {
  program
    .command('import')
    .description(
      'Crea los usuarios de un archivo CSV, si todas sus lineas estan bien. No cambia los que existen.',
    )
    .argument('<archivo>')
    .option('--passwords <archivo>', 'archivo nuevo para las contrasenas, que solo usted puede leer')
    .option('--dry-run', 'solo revisa y dice que haria')
    .addHelpText('after', HELP)
    .addHelpText('after', example('import clientes.csv --passwords claves.csv'))
    .action(async (path: string, options: { passwords?: string; dryRun?: boolean }) => {
      const { passwords, dryRun = false } = options;
      if ((passwords === undefined) !== dryRun) throw new UsageError('Indique --passwords, o bien --dry-run');
      const file = basename(path);
      let different = 0;
      await run(
        async (mongo, announce) => {
          const customers = typedPath(path);
          const personalData = await load();
          const found = await namingFile(customers, () => check(mongo, customers, personalData));
          different = found.differences.count;
          const { missing, existing } = found;
          const details = { created: missing.length, existing, different };
          if (passwords === undefined) return { text: report('Prueba, no se creo nada', found), details };
          await announce();
          return create(mongo, found, { path: typedPath(passwords), from: file, details });
        },
        { action: 'admin.import', details: { file, ...(dryRun && { dryRun }) } },
      );
      if (different > 0) {
        throw new InvalidFileError(
          'Lo distinto no se cambia aqui: use account, grant, revoke, origin o limits',
        );
      }
    });
}

/** @throws InvalidFileError for a file with a wrong line. */
async function check(
  mongo: Connection,
  path: string,
  personalData: readonly PersonalData[],
): Promise<Comparison> {
  const report = new LineReport();
  const { branches } = await new BranchStore(mongo).snapshot();
  const file = await readCustomers(path, branches, report);
  refuseWrongLines(report);
  const found = await compareCustomers(mongo, file, personalData, report);
  refuseWrongLines(report);
  return found;
}

type Target = { path: string; from: string; details: CommandResult['details'] };

async function create(
  mongo: Connection,
  found: Comparison,
  { path, from, details }: Target,
): Promise<CommandResult> {
  const { missing } = found;
  if (missing.length === 0) return { text: report('Nada que crear', found), details };
  const progress = progressLine();
  const passwords = await PasswordFile.create(path);
  try {
    const overtaken = await createCustomers(mongo, found, {
      passwords,
      operator: operatorOf(process.env),
      from,
      onProgress: (created) => progress.show(`Creados: ${created} de ${missing.length}`),
    });
    for (const { line, username } of overtaken) {
      const reason = 'lo creo otra persona mientras tanto, y su contrasena en el archivo no vale';
      found.differences.add({ line, column: 'Usuario', value: username, reason });
    }
    const where = `Contrasenas temporales, por ${ONE_TIME_DAYS} dias, en ${path}: entreguelas y borre el archivo.`;
    return { text: `${report('Cargado', found, missing.length - overtaken.length)}\n${where}`, details };
  } finally {
    progress.clear();
    await passwords.close();
  }
}

function report(
  done: string,
  { missing, existing, former, differences }: Comparison,
  created = missing.length,
): string {
  const { count } = differences;
  const counts = `${done}. Usuarios nuevos: ${created}. Ya estaban: ${existing}. Distintos: ${count}.${describeFormerAccounts(former)}`;
  return count === 0 ? counts : `${counts}\n${differences}`;
}

/** Says which accounts had users before, whose guides the new ones see. */
function describeFormerAccounts(former: readonly string[]): string {
  if (former.length === 0) return '';
  const more = former.length > MAX_FORMER ? `, ... (${former.length})` : '';
  return `\nCuentas que ya existieron, y dan sus guias a los usuarios nuevos: ${former.slice(0, MAX_FORMER).join(', ')}${more}`;
}
