import { type Static, Type } from 'typebox';
import { commonSettings, loginSettings, mongoSettings, redisSettings } from '#shared/config/settings.ts';

export const DashboardConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...loginSettings,
  PORT: Type.Integer({ default: 3003, minimum: 0, maximum: 65_535, description: 'Port to listen on' }),
  SESSION_TTL_S: Type.Integer({
    default: 28_800,
    minimum: 60,
    description: 'How long a login lasts, in seconds; then the password is asked for again',
  }),
  COOKIE_SECURE: Type.Boolean({
    default: true,
    description: 'Whether browsers may send the session over https only; false only where there is no https',
  }),
  RUNBOOK_URL: Type.Optional(
    Type.String({
      pattern: '^https?://.',
      description: 'Page with the text of k8s/runbook.md; the names of its sections are added after a #',
      examples: ['https://wiki.example/runbook'],
    }),
  ),
});
export type DashboardConfig = Readonly<Static<typeof DashboardConfig>>;
