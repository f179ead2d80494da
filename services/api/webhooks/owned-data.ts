import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import type { OwnedData } from '../accounts/owned-data.ts';

export const ownedWebhooks: OwnedData = {
  async leftOf(mongo, account) {
    const { length } = await new WebhookStore(mongo).list(account);
    if (length === 0) return '';
    return `\nSus webhooks (${length}) siguen recibiendo eventos: para eliminarlos, cree en la cuenta un usuario con webhooks.admin.`;
  },
};
