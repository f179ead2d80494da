import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import type { Remittance } from '#shared/cod/ledger-model.ts';
import { formatCsv } from '#shared/commands/csv.ts';
import { UsageError } from '#shared/commands/run-command-line.ts';
import { aligned, progressLine } from '#shared/commands/terminal.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { NewsLog } from '#shared/webhooks/news-log.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { example, parseAccount, readTimeZone } from '../accounts/commands/command-line.ts';
import { NAME_RULE } from '../accounts/names.ts';
import { formatPesos } from '../platform/amounts.ts';
import type { CommandTools } from '../platform/command-tools.ts';
import { localDays, momentOf } from '../platform/local-time.ts';
import type { FollowingTools } from '../tracking/following.ts';
import { publisherOf } from '../webhooks/news.ts';
import { CollectionStore } from './collection-store.ts';
import { followAgain, storedFollower } from './follow-events.ts';
import { Ledger } from './ledger.ts';
import { RemittanceNews } from './publish-news.ts';
import { asPaid, type Payment, pay, takeBack } from './remittances.ts';

const MOMENT = /^(\d{4}-\d\d-\d\d)(T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)?$/;

/** `npm run admin -- cobros …`: what the carrier owes for what it has collected, and its payment. */
export function addCommands(program: Command, { run, followers }: CommandTools & FollowingTools): void {
  followers.push(storedFollower);
  const cobros = program
    .command('cobros')
    .description('Muestra y paga lo que se cobro al entregar.')
    .helpCommand(false);
  addList(cobros, run);
  addDifferences(cobros, run);
  addPay(cobros, run);
  addTakeBack(cobros, run);
  addFollow(cobros, run);
}

type Run = CommandTools['run'];
type LocalTime = ReturnType<typeof readTimeZone>['localTime'];

function addList(cobros: Command, run: Run): void {
  cobros
    .command('list', { isDefault: true })
    .description('Muestra cuanto se debe a cada cuenta, y cuantas de sus guias tienen una diferencia.')
    .addHelpText('after', example('cobros list'))
    .action(() =>
      run(
        async (mongo) => {
          const [ledger, collections] = [new Ledger(mongo), new CollectionStore(mongo)];
          const rows: string[][] = [];
          for (const account of await accountsOf(ledger, collections)) {
            const { balance } = await ledger.end(account);
            const count = await collections.countDiffering(account);
            if (balance !== 0 || count > 0) rows.push([account, formatPesos(balance), String(count)]);
          }
          const table = aligned([['CUENTA', 'SE LE DEBE (MXN)', 'GUIAS CON DIFERENCIA'], ...rows]);
          return { text: rows.length > 0 ? table : 'No se debe nada, y ninguna guia tiene una diferencia' };
        },
        { action: 'admin.cobros.list' },
      ),
    );
}

const DIFFERENCE_COLUMNS = ['Cuenta', 'Guia', 'Estatus', 'Cobro', 'Cobrado', 'Diferencia'];
const DIFFERENCE_HELP = `
Diferencia dice que hay que aclarar con quien entrego:
  falta      se entrego todo, y se cobro menos
  sin_cobro  se entrego todo, y no se cobro nada
  sobra      se cobro mas, o la guia no llevaba Cobro
  devuelta   se cobro, y la guia se devolvio
Un importe equivocado se corrige con una Anulacion del evento, y un Entregado con otro Id.`;

function addDifferences(cobros: Command, run: Run): void {
  cobros
    .command('diferencias')
    .description('Escribe un CSV con las guias en que no se cobro lo que dicen.')
    .option('--account <cuenta>', `las de la cuenta, ${NAME_RULE}`, parseAccount)
    .addHelpText('after', DIFFERENCE_HELP)
    .addHelpText('after', '\n\nEjemplo:\n  npm run --silent admin -- cobros diferencias > diferencias.csv')
    .action(({ account }: { account?: string }) =>
      run(
        async (mongo) => {
          const collections = new CollectionStore(mongo);
          const rows: string[][] = [];
          for (const each of account === undefined ? await collections.accounts() : [account])
            for (const { _id, status, amount, collected, difference = '' } of await collections.differing(
              each,
            ))
              rows.push([each, _id, status, formatPesos(amount), formatPesos(collected), difference]);
          const text = formatCsv(DIFFERENCE_COLUMNS, rows).trimEnd();
          return { text, details: { guides: rows.length } };
        },
        { action: 'admin.cobros.diferencias', subject: account },
      ),
    );
}

const PAY_HELP = `
Hace una liquidacion por cuenta, con todo lo que se registro antes de --hasta y aun no se paga, y escribe el archivo para
el banco: Cuenta,Importe,Liquidacion. Lo que suma 0 o menos se queda para la siguiente. Repetirlo con las mismas --account
y --hasta escribe lo mismo, y no paga nada otra vez. Las cuentas de prueba no se pagan.
--hasta es un momento pasado de TIME_ZONE: 2026-11-30 es todo ese dia; tambien 2026-11-30T18:00:00.`;

function addPay(cobros: Command, run: Run): void {
  cobros
    .command('pagar')
    .description('Paga a una cuenta, o a todas, lo que se cobro para ellas.')
    .option('--account <cuenta>', `solo esta, ${NAME_RULE}`, parseAccount)
    .option('--hasta <momento>', 'como 2026-11-30 (obligatoria)', parseMoment)
    .addHelpText('after', PAY_HELP)
    .addHelpText(
      'after',
      '\n\nEjemplo:\n  npm run --silent admin -- cobros pagar --hasta 2026-11-30 > pagos-2026-11.csv',
    )
    .action(({ account, hasta }: { account?: string; hasta?: string }) => {
      // Commander's own check would not say which one.
      if (hasta === undefined) throw new UsageError('Falta --hasta. Vea cobros pagar --help');
      const { localTime } = readTimeZone();
      const until = untilOf(hasta, localTime);
      return run(
        async (mongo, announce) => {
          if (until > (await new DatabaseClock(mongo).now()))
            throw new UsageError('--hasta debe ser un momento que ya paso');
          const ledger = new Ledger(mongo);
          const accounts = await payable(ledger, account);
          if (account === undefined) await requireOneFile(ledger, accounts, until);
          await announce();
          const made: Remittance[] = [];
          for (const each of accounts) {
            const payment = await pay(ledger, each, until);
            const said = saidOf(payment, account !== undefined);
            if (said) process.stderr.write(`${each}: ${said}\n`);
            if (!('remittance' in payment)) continue;
            made.push(payment.remittance);
            if (!payment.repeated) await publishAtOnce(mongo, localTime, each);
          }
          const rows = made.map(({ account, amount, number }) => [account, formatPesos(amount), number]);
          const total = made.reduce((sum, { amount }) => sum + amount, 0);
          return {
            text: formatCsv(['Cuenta', 'Importe', 'Liquidacion'], rows).trimEnd(),
            details: { remittances: made.map(({ number }) => number), total: formatPesos(total) },
          };
        },
        { action: 'admin.cobros.pagar', subject: account, details: { until: until.toISOString() } },
      );
    });
}

/** Says what the bank's file does not. @param isNamed whether the operator has named the account. */
function saidOf(payment: Payment, isNamed: boolean): string {
  if ('remittance' in payment) return payment.repeated ? 'ya se habia hecho' : '';
  if (payment.open >= 0 && !isNamed) return '';
  return `${formatPesos(payment.open)} MXN, nada que pagar; queda para la siguiente`;
}

/** Tells an account's webhooks of its remittances. If that fails, what is stored holds. */
async function publishAtOnce(mongo: Connection, localTime: LocalTime, account: string): Promise<void> {
  const publish = publisherOf(new WebhookStore(mongo), new NewsLog(mongo));
  const news = new RemittanceNews({ ledger: new Ledger(mongo), publish, localTime });
  try {
    await news.publish(account);
  } catch {
    // The api's sweep does.
    process.stderr.write(`${account}: sus webhooks reciben el aviso en un minuto\n`);
  }
}

function addTakeBack(cobros: Command, run: Run): void {
  cobros
    .command('anular')
    .description('Anula una liquidacion que el banco rechazo: lo que paga se queda para la siguiente.')
    .argument('<liquidacion>', 'su numero, como L48291365074')
    .addHelpText('after', example('cobros anular L48291365074'))
    .action((number: string) => {
      const { localTime } = readTimeZone();
      return run(
        async (mongo, announce) => {
          await announce();
          const back = await takeBack(new Ledger(mongo), number);
          if (!back) throw new Error('No hay una liquidacion con ese numero');
          const { account, amount } = back.remittance;
          if (!back.repeated) await publishAtOnce(mongo, localTime, account);
          const done = back.repeated ? 'Ya estaba anulada' : 'Anulada';
          return {
            text: `${done}: ${number}, ${formatPesos(amount)} MXN de la cuenta ${account}. Se paga otra vez con cobros pagar`,
            details: { account, amount: formatPesos(amount) },
          };
        },
        { action: 'admin.cobros.anular', details: { number } },
      );
    });
}

function addFollow(cobros: Command, run: Run): void {
  cobros
    .command('revisar')
    .description('Compara los cobros con los eventos de sus guias, y anota lo que falte.')
    .addHelpText(
      'after',
      '\nUselo despues de restaurar un respaldo, o de volver a esta version desde una anterior, que registra eventos sin\nanotar su dinero. Repetirlo no repite nada.',
    )
    .addHelpText('after', example('cobros revisar'))
    .action(() =>
      run(
        async (mongo) => {
          const progress = progressLine();
          const guides = await followAgain(mongo, (seen) => progress.show(`Guias revisadas: ${seen}`));
          progress.clear();
          return { text: `Guias revisadas: ${guides}`, details: { guides } };
        },
        { action: 'admin.cobros.revisar' },
      ),
    );
}

/** Returns the accounts for which money was collected, or should have been, ordered by name. */
async function accountsOf(ledger: Ledger, collections: CollectionStore): Promise<string[]> {
  const all = new Set([...(await ledger.accounts()), ...(await collections.accounts())]);
  return [...all].toSorted();
}

/** @throws Error for an account that nothing was collected for, but in tests. */
async function payable(ledger: Ledger, account: string | undefined): Promise<string[]> {
  const accounts = await ledger.accounts();
  if (account === undefined) return accounts;
  if (accounts.includes(account)) return [account];
  throw new Error(`Para la cuenta ${account} no se ha cobrado nada, o es de prueba`);
}

/**
 * After a remittance was taken back, a file of all accounts has those that the bank has paid beside its successor.
 * @throws Error if one of this moment was, and has none yet.
 */
async function requireOneFile(ledger: Ledger, accounts: readonly string[], until: Date): Promise<void> {
  for (const account of accounts) {
    const paid = asPaid(await ledger.remittances(account));
    const ofMoment = paid.filter((each) => each.until.getTime() === until.getTime());
    if (ofMoment.length > 0 && ofMoment.every(({ takenBackAt }) => takenBackAt)) {
      throw new Error(
        `La liquidacion de ${account} con esa --hasta se anulo. El archivo de todas tendria lo que el banco ya pago: use --account ${account}, u otra --hasta`,
      );
    }
  }
}

function parseMoment(text: string): string {
  const [, date = ''] = MOMENT.exec(text) ?? [];
  const day = new Date(`${date}T00:00:00Z`);
  if (date !== '' && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)) return text;
  throw new UsageError('--hasta debe ser una fecha como 2026-11-30, o 2026-11-30T18:00:00');
}

/** Returns the moment of a local time; that at which a day ends. */
function untilOf(text: string, localTime: LocalTime): Date {
  if (text.includes('T')) return new Date(momentOf(localTime, text));
  return new Date(localDays(localTime)(momentOf(localTime, `${text}T12:00:00`)).endsAt);
}
