import { type Static, Type } from 'typebox';
import {
  commonSettings,
  internalSettings,
  loginSettings,
  mongoSettings,
  redisSettings,
  SECRET,
  servingSettings,
} from '#shared/config/settings.ts';

export const ApiConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...internalSettings,
  ...loginSettings,
  ...servingSettings,
  PORT: Type.Integer({ default: 3000, minimum: 0, maximum: 65535, description: 'Port to listen on' }),
  BRANCHES_URL: Type.String({
    pattern: '^https?://.',
    description: 'Address of the branches service',
    examples: ['http://127.0.0.1:3001'],
  }),
  BRANCHES_TIMEOUT_MS: Type.Integer({
    default: 6_000,
    minimum: 1,
    description: 'Longest wait for the branches service, in ms; a cold branch cache needs some seconds',
  }),
  JWT_SECRET: Type.String({
    ...SECRET,
    description: 'Secret that signs the access tokens, 32 random characters or more',
    examples: ['$(openssl rand -hex 32)'],
  }),
  JWT_SECRET_PREVIOUS: Type.Optional(
    Type.String({
      ...SECRET,
      description: 'Another JWT_SECRET, whose tokens are accepted too while it is being replaced',
    }),
  ),
  JWT_TTL_S: Type.Integer({ default: 3_600, minimum: 1, description: 'Life of an access token, in seconds' }),
  REQUESTS_PER_MINUTE_PER_USER: Type.Integer({
    default: 0,
    minimum: 0,
    description: 'Requests of one user in a minute; 0 is no limit',
  }),
  REQUESTS_PER_MINUTE_PER_ADDRESS: Type.Integer({
    default: 0,
    minimum: 0,
    description: 'Requests from one address in a minute; 0 is no limit',
  }),
  CORS_ORIGINS: Type.String({
    default: '',
    pattern: '^(https?://[a-z0-9.:\\[\\]-]+(,|$))*$',
    description:
      "Origins whose pages may call the API from a browser, in lower case and separated by commas; '' is none",
    examples: ['https://tienda.example'],
  }),
  TIME_ZONE: Type.String({ default: 'America/Mexico_City', description: 'IANA time zone of SEND_FECHA' }),
  CARRIER_NAME: Type.String({ default: 'Paquetería', description: "The carrier's name on the labels" }),
  CARRIER_LOGO: Type.Optional(
    Type.String({
      description: "File with the carrier's logo for the labels, SVG or PNG, up to 12 KiB; black prints best",
      examples: ['/etc/guias/logo.svg'],
    }),
  ),
  TRACKING_URL: Type.String({
    default: 'https://rastreo.example/{guia}',
    pattern: '\\{guia\\}',
    description: 'Tracking address that the QR carries; {guia} stands for the guide number',
    examples: ['https://rastreo.example/{guia}'],
  }),
  LABEL_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 1,
    description: 'Longest wait for a label to be printed, in ms',
  }),
});
export type ApiConfig = Readonly<Static<typeof ApiConfig>>;
