import { type Static, Type } from 'typebox';
import {
  commonSettings,
  labelShardSettings,
  loginSettings,
  mongoSettings,
  redisSettings,
} from '#shared/config/settings.ts';

export const DashboardConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...labelShardSettings,
  ...loginSettings,
  PORT: Type.Integer({ default: 3003, minimum: 0, maximum: 65_535, description: 'Port to listen on' }),
  SESSION_TTL_S: Type.Integer({
    default: 28_800,
    minimum: 60,
    description: 'Lifetime of a session, in seconds. The user then logs in again',
  }),
  COOKIE_SECURE: Type.Boolean({
    default: true,
    description:
      'Whether browsers send the session cookie over HTTPS only. Set to false only where there is no HTTPS',
  }),
  RUNBOOK_URL: Type.Optional(
    Type.String({
      pattern: '^https?://.',
      description:
        'Page with the text of k8s/runbook.md. Links to its sections append # and the name of the section',
      examples: ['https://wiki.example/runbook'],
    }),
  ),
});
export type DashboardConfig = Readonly<Static<typeof DashboardConfig>>;
