import { type Static, Type } from 'typebox';
import {
  commonSettings,
  labelCacheSettings,
  localTimeSettings,
  loginSettings,
  mongoSettings,
  redisSettings,
  servingSettings,
} from '#shared/config/settings.ts';

export const DashboardConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...labelCacheSettings,
  ...loginSettings,
  ...servingSettings,
  ...localTimeSettings,
  PORT: Type.Integer({ default: 3003, minimum: 0, maximum: 65_535, description: 'Port to listen on' }),
  COOKIE_SECURE: Type.Boolean({
    default: true,
    description: 'Whether browsers send the session cookie over HTTPS only',
  }),
});
export type DashboardConfig = Readonly<Static<typeof DashboardConfig>>;
