import { type Static, Type } from 'typebox';
import { commonSettings, internalSettings, mongoSettings, redisSettings } from '../../shared/config.ts';

export const ApiConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...internalSettings,
  PORT: Type.Integer({ default: 3000, minimum: 0, maximum: 65535, description: 'Port to listen on' }),
  BRANCHES_URL: Type.String({
    pattern: '^https?://.',
    description: 'Address of the branches service',
    examples: ['http://127.0.0.1:3001'],
  }),
  BRANCHES_DEADLINE_MS: Type.Integer({
    default: 6_000,
    minimum: 1,
    description: 'Longest wait for the branches service, in ms; a cold branch cache needs some seconds',
  }),
  JWT_SECRET: Type.String({
    minLength: 32,
    description: 'Secret that signs the access tokens, 32 characters or more',
    examples: ['$(openssl rand -hex 32)'],
  }),
  JWT_SECRET_PREVIOUS: Type.Optional(
    Type.String({
      minLength: 32,
      description: 'The secret before this one: its tokens are still accepted while it is being replaced',
    }),
  ),
  JWT_TTL_S: Type.Integer({ default: 3_600, minimum: 1, description: 'Life of an access token, in seconds' }),
  LOGIN_FAILURES_PER_USER: Type.Integer({
    default: 10,
    minimum: 1,
    description: 'Failed logins of one user in 15 minutes; a right password starts anew',
  }),
  LOGIN_FAILURES_PER_ADDRESS: Type.Integer({
    default: 100,
    minimum: 1,
    description: 'Failed logins from one address in 15 minutes',
  }),
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
  TRUST_PROXY: Type.String({
    default: '',
    description:
      "Addresses of proxies whose X-Forwarded-For is believed, separated by commas; '' believes none",
    examples: ['10.0.0.0/8'],
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
  LABEL_DEADLINE_MS: Type.Integer({
    default: 10_000,
    minimum: 1,
    description: 'Longest wait for a label to be printed, in ms',
  }),
});
export type ApiConfig = Readonly<Static<typeof ApiConfig>>;
