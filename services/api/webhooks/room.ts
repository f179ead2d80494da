import { MAX_WEBHOOKS } from '#shared/webhooks/webhook-store.ts';
import { accounts } from '../accounts/room.ts';
import { chaptersIn, defineRoom } from '../http/room.ts';
import { tracking } from '../tracking/room.ts';
import { webhookErrors } from './errors.ts';
import { MESSAGES } from './messages.ts';
import { openWebhooks } from './open.ts';
import { webhooksPersonalData } from './personal-data.ts';
import { webhookRoutes } from './routes.ts';
import { MAX_PENDING } from './webhooks.ts';

/** Events, sent to the addresses of accounts. */
export const webhooks = defineRoom({
  name: 'webhooks',
  needs: [accounts, tracking],
  errors: webhookErrors,
  personalData: webhooksPersonalData,
  open: openWebhooks,
  routes: [webhookRoutes],
  messages: MESSAGES,
  manual: {
    chapters: chaptersIn(import.meta.url, 'webhooks'),
    values: () => ({ maxWebhooks: MAX_WEBHOOKS, maxPendientes: MAX_PENDING }),
  },
});
