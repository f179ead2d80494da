import { type Static, Type } from 'typebox';
import {
  cellSettings,
  commonSettings,
  internalSettings,
  labelCacheSettings,
  localTimeSettings,
  loginSettings,
  mongoSettings,
  redisSettings,
  SECRET,
  servingSettings,
  webhookSettings,
} from '#shared/config/settings.ts';
import { MAX_LOGO_KIB } from '#shared/labels/label-payload.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { LABEL_TIMEOUT_MS } from '#shared/printing/label-job.ts';

/** Largest limit of an account, also where `admin limits` sets it. */
export const MAX_LIMIT = 1_000_000_000;

function limit(value: number, description: string) {
  return Type.Integer({ default: value, minimum: 1, maximum: MAX_LIMIT, description });
}

export const ApiConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...cellSettings,
  ...labelCacheSettings,
  ...internalSettings,
  ...loginSettings,
  ...servingSettings,
  ...webhookSettings,
  PORT: Type.Integer({ default: 3000, minimum: 0, maximum: 65535, description: 'Port to listen on' }),
  BRANCHES_URL: Type.String({
    format: 'service-url',
    description: 'Base URL of the branches service',
    examples: ['http://127.0.0.1:3001'],
  }),
  WEBHOOKS_URL: Type.String({
    format: 'service-url',
    description: 'Base URL of the webhooks service',
    examples: ['http://127.0.0.1:3004'],
  }),
  JWT_SECRET: Type.String({
    ...SECRET,
    description: 'Secret that signs access tokens, at least 32 random characters',
    examples: ['$(openssl rand -hex 32)'],
  }),
  JWT_SECRET_PREVIOUS: Type.Optional(
    Type.String({
      ...SECRET,
      description: 'Second secret whose tokens are accepted, while JWT_SECRET is rotated',
    }),
  ),
  JWT_TTL_S: Type.Integer({
    default: 3_600,
    minimum: 1,
    maximum: 2_592_000,
    description: 'Lifetime of an access token, in seconds, up to 30 days',
  }),
  REQUESTS_PER_SECOND_PER_ACCOUNT: limit(1_000, 'Requests allowed per account and second in the long run'),
  REQUESTS_BURST_PER_ACCOUNT: limit(3_000, 'Requests allowed per account at once, after a pause'),
  GUIDES_PER_DAY_PER_ACCOUNT: limit(200_000, 'Guides that an account may create in a day of TIME_ZONE'),
  LABEL_PAGES_PER_ACCOUNT: limit(300, 'Label pages that an account may have in flight at a time'),
  CORS_ORIGINS: Type.String({
    default: '',
    pattern: '^(https?://[a-z0-9.:\\[\\]-]+(,|$))*$',
    description: 'Origins whose pages may call the API, in lower case, separated by commas',
    examples: ['https://tienda.example'],
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+(/.*[^/])?$',
      description:
        'Address of the API in its OpenAPI document and pages. Without it, the address of the request',
      examples: ['https://guias.example'],
    }),
  ),
  ...localTimeSettings,
  RETENTION_DAYS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 36_500,
    description: 'Age in days at which guides lose all that names a person, for good. 0 keeps it for ever',
  }),
  CARRIER_NAME: Type.String({ default: 'Paquetería', description: "Carrier's name on labels and pages" }),
  CARRIER_CONTACT: Type.Optional(
    Type.String({
      format: 'contact',
      description:
        'Where the tracking page sends people with a question: a phone, an e-mail address, or the address of a page',
      examples: ['81 5000 0000'],
    }),
  ),
  CARRIER_LOGO: Type.Optional(
    Type.String({
      description: `Path of the logo on the labels, an SVG or PNG of at most ${MAX_LOGO_KIB} KiB. Black prints best`,
      examples: ['/etc/guias/logo.svg'],
    }),
  ),
  TRACKING_URL: Type.Optional(
    Type.String({
      pattern: '\\{guia\\}',
      description:
        'Tracking address in the QR code, where {guia} stands for the number. Without it, the tracking page at PUBLIC_URL',
      examples: ['https://rastreo.example/{guia}'],
    }),
  ),
});

/** Printed on labels if neither `TRACKING_URL` nor `PUBLIC_URL` is set. */
const NO_TRACKING_URL = 'https://rastreo.example/{guia}';

/** Returns the address in the labels' QR code, with `{guia}` for the number. */
export function trackingUrl({
  TRACKING_URL,
  PUBLIC_URL,
}: Pick<ApiConfig, 'TRACKING_URL' | 'PUBLIC_URL'>): string {
  return TRACKING_URL ?? (PUBLIC_URL === undefined ? NO_TRACKING_URL : `${PUBLIC_URL}/rastreo/{guia}`);
}

export type ApiConfig = Readonly<Static<typeof ApiConfig>>;

/**
 * Time limits of one label and of a file, in ms, with the wait in the queue. Proxies wait longer. Only tests change
 * them.
 */
export const LABEL_TIMEOUTS = { label: LABEL_TIMEOUT_MS, file: 25_000 };
export type LabelTimeouts = Readonly<typeof LABEL_TIMEOUTS>;

/** What every plugin and route gets; `tracing` is absent if it is off. */
export type ApiOptions = { config: ApiConfig; tracing: Tracing | undefined; labelTimeouts: LabelTimeouts };
