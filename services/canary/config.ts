import { type Static, Type } from 'typebox';
import { canaryAddress, canaryCredentials, cellSettings, commonSettings } from '#shared/config/settings.ts';

export const CanaryConfig = Type.Object({
  ...commonSettings,
  ...cellSettings,
  CANARY_URL: Type.Optional(canaryAddress),
  CUSTOMERS_URL: Type.String({
    format: 'service-url',
    description: 'Base URL that customers use, through gateway or proxy: the first way in that is tried',
    examples: ['https://guias.example'],
  }),
  API_PROCESSES_URL: Type.Optional(
    Type.String({
      format: 'service-url',
      description:
        'Base URL whose host has an address for each api process, each of which is tried too. Without it, CUSTOMERS_URL alone',
      examples: ['http://api-each:3000'],
    }),
  ),
  ...canaryCredentials,
  PORT: Type.Integer({ default: 3006, minimum: 0, maximum: 65_535, description: 'Port to listen on' }),
});
export type CanaryConfig = Readonly<Static<typeof CanaryConfig>>;
