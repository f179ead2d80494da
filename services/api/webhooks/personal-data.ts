import { type SetBy, setByOf, WEBHOOKS } from '#shared/webhooks/webhook-model.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { type PersonalData, replaceUser } from '../platform/personal-data.ts';

export const webhooksPersonalData: PersonalData = {
  keeps:
    "`webhooks` has addresses of customers' servers, and the names of API users who chose them. `webhookSecrets` has secrets, encrypted if `WEBHOOK_SECRETS_KEY` is set, which only the api and webhooks have",
  users: {
    moveToAccount: 'none: a webhook sends the events of its account',
    endAccess: 'none',
    forgetUser: (mongo, username) => replaceUser(mongo, WEBHOOKS, username),
    async describeRemaining(mongo, { username, account, keyStart }) {
      const by = { username, ...(keyStart !== undefined && { key: keyStart }) };
      const found = await new WebhookStore(mongo).listSetBy(by, account);
      if (found.length === 0) return '';
      const rows = found.map((webhook) => {
        const { id, url, active } = webhook;
        const setBy = setByOf(webhook);
        const who = setBy ? `puesto por ${whoOf(setBy)}` : 'no se sabe quien lo puso';
        return `\n  ${id}  ${new URL(url).host}, cuenta ${webhook.account}, ${who}${active ? '' : ' (apagado)'}`;
      });
      const ids = found.map(({ id }) => id).join(' ');
      return `\nQuedan estos webhooks:${rows.join('')}\nLos que no sean del cliente se terminan con: webhooks end ${ids}`;
    },
  },
  accounts: {
    isOfTests: 'none',
    async describeInherited(mongo, account) {
      const { length } = await new WebhookStore(mongo).list(account);
      return length === 0 ? '' : `sus webhooks (${length})`;
    },
    refuseClosing: 'none',
    async closeAccount(mongo, account) {
      const { length } = await new WebhookStore(mongo).list(account);
      if (length === 0) return '';
      return `\nQuedan sus webhooks (${length}), y ya nadie los administra. Se terminan con: webhooks end --account ${account}`;
    },
  },
  besideGuides: 'none',
  accountTexts: 'none',
};

/** Returns a user, with the beginning of the key if a key was used. */
export function whoOf({ username, key }: SetBy): string {
  return key === undefined ? username : `${username} con ${key}…`;
}
