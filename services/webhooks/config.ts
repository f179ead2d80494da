import { type Static, Type } from 'typebox';
import {
  calledSettings,
  cellSettings,
  commonSettings,
  mongoSettings,
  redisSettings,
  servingSettings,
} from '#shared/config/settings.ts';
import { webhookSettings } from '#shared/webhooks/settings.ts';

export const WebhooksConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...cellSettings,
  ...calledSettings,
  ...servingSettings,
  ...webhookSettings,
  WEBHOOKS_PROXY_URL: Type.Optional(
    Type.String({
      format: 'service-url',
      description:
        'Proxy through which all messages to webhooks go, by CONNECT. It looks names up, so it must refuse those that lead to your networks',
      examples: ['http://proxy.example:3128'],
    }),
  ),
  WEBHOOKS_PROXY_LOGIN: Type.Optional(
    Type.String({
      pattern: '^[^:]+:.+$',
      writeOnly: true,
      description:
        'User and password for the proxy of WEBHOOKS_PROXY_URL, if it asks for them: user:password',
    }),
  ),
  PORT: Type.Integer({ default: 3004, minimum: 0, maximum: 65_535, description: 'Port to listen on' }),
});
export type WebhooksConfig = Readonly<Static<typeof WebhooksConfig>>;
