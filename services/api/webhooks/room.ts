import { webhooksData } from '#shared/webhooks/room.ts';
import { MAX_WEBHOOKS } from '#shared/webhooks/webhook-store.ts';
import { accounts } from '../accounts/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { tracking } from '../tracking/room.ts';
import { webhookErrors } from './errors.ts';
import { MESSAGES } from './messages.ts';
import { openWebhooks } from './open.ts';
import { webhooksPersonalData } from './personal-data.ts';
import { webhookRoutes } from './routes.ts';
import { MAX_PENDING } from './webhooks.ts';

export const webhooks = defineRoom({
  data: webhooksData,
  needs: [accounts, guides, tracking],
  errors: webhookErrors,
  personalData: webhooksPersonalData,
  changes: {
    what: ['administrar webhooks'],
    repeated: [
      '`POST /api/webhooks` registra otro webhook: si la respuesta se perdió, busque el suyo por `Url` en `GET /api/webhooks`, y pida con `secreto` una clave nueva.',
      '`activar` con `saltar` puede saltar otro mensaje.',
    ],
  },
  open: openWebhooks,
  routes: [webhookRoutes],
  messages: MESSAGES,
  manualValues: () => ({ maxWebhooks: MAX_WEBHOOKS, maxPendientes: MAX_PENDING }),
});
