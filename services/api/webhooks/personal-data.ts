import type { SecretsDocument, Webhook } from '#shared/webhooks/webhook-model.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { namesNobody, type PersonalData } from '../platform/personal-data.ts';

export const webhooksPersonalData: PersonalData = {
  keeps:
    "`webhooks` has addresses of customers' servers, and `webhookSecrets` secrets, encrypted if `WEBHOOK_SECRETS_KEY` is set, which only the api and webhooks have",
  async closeAccount(mongo, account) {
    const { length } = await new WebhookStore(mongo).list(account);
    if (length === 0) return '';
    return `\nSus webhooks (${length}) siguen recibiendo eventos: para eliminarlos, cree en la cuenta un usuario con webhooks.admin.`;
  },
  besideGuides: namesNobody<Webhook & SecretsDocument>({
    ...{ _id: false, id: false, account: false, url: false, description: false, lease: false },
    off: { reason: false },
    lastFailure: { reason: false },
    attempts: { reason: false },
    secrets: { value: false, encrypted: false, key: false },
  }),
};
