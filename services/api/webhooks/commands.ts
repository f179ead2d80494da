import type { Command } from 'commander';
import { UsageError } from '#shared/commands/run-command-line.ts';
import { aligned } from '#shared/commands/terminal.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { healthOf, type WebhookHealth } from '#shared/webhooks/webhook-health.ts';
import { type WebhookFilter, WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { example, parseAccount, parseUsername } from '../accounts/commands/command-line.ts';
import { NAME_RULE } from '../accounts/names.ts';
import type { CommandTools } from '../platform/command-tools.ts';
import { whoOf } from './personal-data.ts';

type Whose = Pick<WebhookFilter, 'account'> & { user?: string };

/** `npm run admin -- webhooks …`: how webhooks are, and the end of those that a customer cannot end. */
export function addCommands(program: Command, { run }: CommandTools): void {
  const webhooks = program
    .command('webhooks')
    .description('Muestra y termina los webhooks de las cuentas.')
    .helpCommand(false);
  const onWhose = (name: string, options?: { isDefault: true }) =>
    webhooks
      .command(name, options)
      .option('--account <cuenta>', `los de la cuenta, ${NAME_RULE}`, parseAccount)
      .option('--user <usuario>', 'los que van a una direccion que el usuario puso', parseUsername);

  onWhose('list', { isDefault: true })
    .description(
      'Muestra de que cuenta es cada webhook y como va: primero los que fallan, luego los apagados y los atrasados.',
    )
    .addHelpText(
      'after',
      '\nDe cada direccion se muestra solo el servidor: lo demas puede llevar claves del cliente.',
    )
    .addHelpText('after', example('webhooks list --account tienda'))
    .action(({ user: username, account }: Whose) =>
      run(
        async (mongo) => {
          const all = await new WebhookStore(mongo).listAll({ account, username });
          const webhooks = await healthOf(new EventLog(mongo), all);
          return { text: webhooks.length > 0 ? webhookTable(webhooks) : 'No hay webhooks' };
        },
        { action: 'admin.webhooks.list', subject: username ?? account },
      ),
    );

  onWhose('end')
    .description('Termina webhooks: sus direcciones no reciben nada mas. No se puede deshacer.')
    .argument('[id...]', 'de los webhooks, como los muestra webhooks list')
    .addHelpText(
      'after',
      `${example('webhooks end 0b0f8a4e-2f2c-4a56-9d55-2d1f0b8e1f0c')}\n  npm run admin -- webhooks end --user tienda`,
    )
    .action((ids: string[], { user: username, account }: Whose) => {
      const named = [ids.length > 0, username !== undefined, account !== undefined];
      if (named.filter(Boolean).length !== 1)
        throw new UsageError('Indique Ids, --user o --account, uno solo');
      return run(
        async (mongo, announce) => {
          const store = new WebhookStore(mongo);
          const found = await store.listAll({ account, username, ...(ids.length > 0 && { ids }) });
          const missing = ids.filter((id) => found.every((webhook) => webhook.id !== id));
          if (missing.length > 0)
            throw new Error(`No hay webhooks con Id ${missing.join(', ')}: vea webhooks list`);
          if (found.length === 0) throw new Error('No hay tales webhooks: vea webhooks list');
          await announce();
          for (const { account, id } of found) await store.remove(account, id);
          const ended = found.map(({ id, account, url }) => `${id}  ${new URL(url).host}, cuenta ${account}`);
          return {
            text: `Webhooks terminados:\n${ended.join('\n')}`,
            details: { webhooks: found.map(({ id }) => id) },
          };
        },
        {
          action: 'admin.webhooks.end',
          subject: username ?? account,
          ...(ids.length > 0 && { details: { ids: ids.join(' ') } }),
        },
      );
    });
}

function webhookTable(webhooks: readonly WebhookHealth[]): string {
  const rows = webhooks.map((webhook) => {
    const { account, id, host, setBy, state, since, nextTry, pending, reason = '-' } = webhook;
    const who = setBy ? whoOf(setBy) : '-';
    return [account, id, host, who, state, moment(since), moment(nextTry), String(pending), reason];
  });
  const heads = [
    'CUENTA',
    'ID',
    'SERVIDOR',
    'PUESTO POR',
    'ESTADO',
    'DESDE (UTC)',
    'PROXIMO INTENTO',
    'PENDIENTES',
    'MOTIVO',
  ];
  return aligned([heads, ...rows]);
}

function moment(at: Date | undefined): string {
  return at?.toISOString().slice(0, 19) ?? '-';
}
