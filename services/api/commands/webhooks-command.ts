import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import type { Run } from '#shared/commands/run-command-line.ts';
import { EventLog } from '#shared/stores/event-log.ts';
import type { Webhook } from '#shared/stores/webhook-model.ts';
import { WebhookStore } from '#shared/stores/webhook-store.ts';
import { aligned, example } from './command-line.ts';

const ACCOUNTS_AT_A_TIME = 20;

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
        const webhooks = await webhooksWithPending(mongo);
        return { text: webhooks.length > 0 ? webhookTable(webhooks) : 'No hay webhooks' };
      }),
    );
}

/** `pending` is the number of pending events. */
type Pending = Webhook & { pending: number };

async function webhooksWithPending(mongo: Connection): Promise<Pending[]> {
  const events = new EventLog(mongo);
  const byAccount = [...Map.groupBy(await new WebhookStore(mongo).listAll(), ({ account }) => account)];
  const found: Pending[] = [];
  for (let from = 0; from < byAccount.length; from += ACCOUNTS_AT_A_TIME) {
    const accounts = byAccount.slice(from, from + ACCOUNTS_AT_A_TIME).map(async ([account, webhooks]) => {
      const last = await events.last(account);
      return webhooks.map((webhook) => ({ ...webhook, pending: Math.max(0, last - webhook.cursor) }));
    });
    found.push(...(await Promise.all(accounts)).flat());
  }
  return found.sort((one, other) => rank(one) - rank(other) || other.pending - one.pending);
}

function rank({ active, failures }: Webhook): number {
  if (!active) return 1;
  return failures > 0 ? 0 : 2;
}

function webhookTable(webhooks: readonly Pending[]): string {
  const rows = webhooks.map((webhook) => {
    const { account, id, url, active, failures, failingSince, off, dueAt, pending } = webhook;
    const fails = active && failures > 0;
    const state = fails ? 'falla' : 'activo';
    return [
      account,
      id,
      new URL(url).host,
      active ? state : 'apagado',
      moment(fails ? failingSince : off?.at),
      moment(fails ? dueAt : undefined),
      String(pending),
      reasonOf(webhook) ?? '-',
    ];
  });
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

function reasonOf({ active, failures, lastFailure, off }: Webhook): string | undefined {
  if (active) return failures > 0 ? lastFailure?.reason : undefined;
  return off?.reason ?? 'Lo apago su cuenta';
}

function moment(at: Date | undefined): string {
  return at?.toISOString().slice(0, 19) ?? '-';
}
