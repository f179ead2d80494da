import type { Command } from 'commander';
import type { Run } from '#shared/commands/run-command-line.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { healthOf, type WebhookHealth } from '#shared/webhooks/webhook-health.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { aligned, example } from '../accounts/commands/command-line.ts';

export function addWebhooksCommand(program: Command, run: Run): void {
  program
    .command('webhooks')
    .description(
      'Muestra de que cuenta es cada webhook y como va: primero los que fallan, luego los apagados y los atrasados.',
    )
    .addHelpText(
      'after',
      '\nDe cada direccion se muestra solo el servidor: lo demas puede llevar claves del cliente.',
    )
    .addHelpText('after', example('webhooks'))
    .action(() =>
      run(async (mongo) => {
        const all = await new WebhookStore(mongo).listAll();
        const webhooks = await healthOf(new EventLog(mongo), all);
        return { text: webhooks.length > 0 ? webhookTable(webhooks) : 'No hay webhooks' };
      }),
    );
}

function webhookTable(webhooks: readonly WebhookHealth[]): string {
  const rows = webhooks.map(({ account, id, host, state, since, nextTry, pending, reason = '-' }) => [
    ...[account, id, host, state, moment(since), moment(nextTry), String(pending), reason],
  ]);
  const heads = [
    'CUENTA',
    'ID',
    'SERVIDOR',
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
