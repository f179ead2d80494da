import { defineRoomData } from '../room-data.ts';
import { WEBHOOK_SECRETS, WEBHOOKS } from './webhook-model.ts';

export const webhooksData = defineRoomData({
  name: 'webhooks',
  permissions: ['webhooks.admin'],
  auditActions: ['webhook.*'],
  actions: {
    /** Registers, lists, changes, tries and removes webhooks. */
    subscribe: {
      ...{ name: 'administrar webhooks', fails: 'Administrar webhooks falla', section: 'requestsfail' },
      ...{ service: 'api', writes: true, asksBranches: false, accountsDo: 'none' },
    },
    /** Delivers a message to a receiver. */
    webhook: {
      ...{ name: 'webhooks', fails: 'Mandar webhooks falla', section: 'webhooksfail' },
      ...{ service: 'webhooks', writes: false, asksBranches: false, accountsDo: 'none' },
    },
  },
  collections: [WEBHOOKS, WEBHOOK_SECRETS],
  redis: 'none', // `:requests-probe` is of the requests of accounts
});
