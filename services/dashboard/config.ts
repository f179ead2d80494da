import { type Static, Type } from 'typebox';
import { loginSettings } from '#shared/accounts/settings.ts';
import {
  canaryAddress,
  cellSettings,
  commonSettings,
  labelCacheSettings,
  localTimeSettings,
  mongoSettings,
  proxySettings,
  publicAddress,
  redisSettings,
  servingSettings,
} from '#shared/config/settings.ts';

export const DashboardConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...cellSettings,
  ...labelCacheSettings,
  ...loginSettings,
  ...proxySettings,
  ...servingSettings,
  ...localTimeSettings,
  CANARY_URL: canaryAddress,
  PUBLIC_URL: publicAddress,
  PORT: Type.Integer({ default: 3003, minimum: 0, maximum: 65_535, description: 'Port to listen on' }),
  INSTALLATION: Type.Enum(['kubernetes', 'compose', 'npm-start'], {
    default: 'kubernetes',
    description: 'How the services run: the runbook shows the commands of this way first',
  }),
  WORKERS_MAX: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description:
        'Most label workers that the autoscaler starts, for the page "Estado" (`maxReplicaCount` of KEDA). Empty without an autoscaler',
      examples: ['20'],
    }),
  ),
  COOKIE_SECURE: Type.Boolean({
    default: true,
    description: 'Whether browsers send the session cookie over HTTPS only',
  }),
});
export type DashboardConfig = Readonly<Static<typeof DashboardConfig>>;
