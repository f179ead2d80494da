import { chunks } from '../stores/chunks.ts';
import type { EventLog } from '../tracking/event-log.ts';
import { nextTryOf, type SetBy, setByOf, type Webhook } from './webhook-model.ts';

/** How a webhook is, for those who run the installation. It shows no path or query, which may hold keys of the customer. */
export type WebhookHealth = Pick<Webhook, 'account' | 'id' | 'cursor' | 'createdAt'> & {
  host: string;
  setBy: SetBy | undefined;
  types: Webhook['types'] | undefined;
  /** When the oldest event of the message that waits was registered. */
  waitingSince: Date | undefined;
  isTest: boolean;
  state: 'falla' | 'activo' | 'apagado';
  /** When it began to fail, or was disabled. */
  since: Date | undefined;
  nextTry: Date | undefined;
  /** Why it fails or is disabled, in words for its account. */
  reason: string | undefined;
  /** Events after its cursor, of whatever type. */
  pending: number;
};

const ACCOUNTS_AT_A_TIME = 20;
const RANKS: readonly WebhookHealth['state'][] = ['falla', 'apagado', 'activo'];

/** Returns how webhooks are: first those that fail, then the disabled ones, and of each those with the most pending events. */
export async function healthOf(
  events: Pick<EventLog, 'last'>,
  webhooks: readonly Webhook[],
): Promise<WebhookHealth[]> {
  const byAccount = [...Map.groupBy(webhooks, ({ account }) => account)];
  const found: WebhookHealth[] = [];
  for (const chunk of chunks(byAccount, ACCOUNTS_AT_A_TIME)) {
    const accounts = chunk.map(async ([account, own]) => {
      const last = await events.last(account);
      return own.map((webhook) => describe(webhook, last));
    });
    found.push(...(await Promise.all(accounts)).flat());
  }
  const rank = ({ state }: WebhookHealth) => RANKS.indexOf(state);
  return found.sort((one, other) => rank(one) - rank(other) || other.pending - one.pending);
}

function describe(webhook: Webhook, last: number): WebhookHealth {
  const { account, id, url, types, test = false, active, failingSince, off } = webhook;
  const { cursor, createdAt, lastFailure, waitingSince } = webhook;
  const nextTry = nextTryOf(webhook);
  const fails = nextTry !== undefined;
  return {
    ...{ account, id, cursor, createdAt, types, waitingSince },
    setBy: setByOf(webhook),
    host: new URL(url).host,
    isTest: test,
    state: fails ? 'falla' : active ? 'activo' : 'apagado',
    since: fails ? failingSince : off?.at,
    nextTry,
    reason: fails ? lastFailure?.reason : active ? undefined : (off?.reason ?? 'Lo apago su cuenta'),
    pending: Math.max(0, last - cursor),
  };
}
