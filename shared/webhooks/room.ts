import { Type } from 'typebox';
import { defineRoomData } from '../room-data.ts';
import { NEWS } from './news-log.ts';
import { webhookSettings } from './settings.ts';
import { WEBHOOK_SECRETS, WEBHOOKS } from './webhook-model.ts';

export const webhooksData = defineRoomData({
  name: 'webhooks',
  about: 'Events, sent to the addresses of accounts',
  permissions: { 'webhooks.admin': 'own account' },
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
  collections: [WEBHOOKS, WEBHOOK_SECRETS, NEWS],
  users: { moves: 'none', forgets: 'webhooks', ends: 'none' },
  redis: 'none', // `:requests-probe` is of the requests of accounts
  settings: {
    ...webhookSettings,
    WEBHOOKS_URL: Type.String({
      format: 'service-url',
      description: 'Base URL of the webhooks service',
      examples: ['http://127.0.0.1:3004'],
    }),
  },
  subjects: {
    Webhooks: { place: 5, name: 'Webhooks', description: 'Recibir los eventos sin preguntar' },
  },
  chapters: {
    webhooks: ['Seguimiento', 2],
  },
  commands: 'commands.ts',
});
