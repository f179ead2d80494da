import { type Static, Type } from 'typebox';
import { calledSettings, commonSettings, mongoSettings } from '#shared/config/settings.ts';

export const WebhooksConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...calledSettings,
  PORT: Type.Integer({ default: 3004, minimum: 0, maximum: 65_535, description: 'Port to listen on' }),
  WEBHOOKS_ALLOW_PRIVATE: Type.Boolean({
    default: false,
    description:
      'Whether webhooks may lead to private addresses and use plain http. Only for a machine of your own: customers could reach your network',
  }),
});
export type WebhooksConfig = Readonly<Static<typeof WebhooksConfig>>;
