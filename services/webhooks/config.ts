import { type Static, Type } from 'typebox';
import {
  calledSettings,
  commonSettings,
  mongoSettings,
  redisSettings,
  servingSettings,
  webhookSettings,
} from '#shared/config/settings.ts';

export const WebhooksConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...calledSettings,
  ...servingSettings,
  ...webhookSettings,
  PORT: Type.Integer({ default: 3004, minimum: 0, maximum: 65_535, description: 'Port to listen on' }),
});
export type WebhooksConfig = Readonly<Static<typeof WebhooksConfig>>;
