import { MAX_WEBHOOKS } from '#shared/webhooks/webhook-store.ts';
import { chaptersIn, type Room } from '../http/room.ts';
import { webhookErrors } from './errors.ts';
import { MESSAGES } from './messages.ts';
import { webhooksPersonalData } from './personal-data.ts';
import { webhooksPlugin } from './plugin.ts';
import { webhookRoutes } from './routes.ts';
import { MAX_PENDING } from './webhooks.ts';

/** Events, sent to the addresses of accounts. */
export const webhooks: Room = {
  name: 'webhooks',
  errors: webhookErrors,
  personalData: webhooksPersonalData,
  plugins: [webhooksPlugin],
  routes: [webhookRoutes],
  messages: MESSAGES,
  manual: {
    chapters: chaptersIn(import.meta.url, 'webhooks'),
    values: () => ({ maxWebhooks: MAX_WEBHOOKS, maxPendientes: MAX_PENDING }),
  },
};
