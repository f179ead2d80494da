import { type Static, Type } from 'typebox';
import {
  cellSettings,
  commonSettings,
  internalSettings,
  labelCacheSettings,
  localTimeSettings,
  mongoSettings,
  proxySettings,
  publicAddress,
  redisSettings,
  servingSettings,
} from '#shared/config/settings.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { LABEL_TIMEOUT_MS } from '#shared/printing/label-job.ts';
import { ROOM_SETTINGS } from '#shared/rooms.ts';

export const ApiConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...cellSettings,
  ...labelCacheSettings,
  ...internalSettings,
  ...proxySettings,
  ...servingSettings,
  PORT: Type.Integer({ default: 3000, minimum: 0, maximum: 65535, description: 'Port to listen on' }),
  CORS_ORIGINS: Type.String({
    default: '',
    pattern: '^(https?://[a-z0-9.:\\[\\]-]+(,|$))*$',
    description: 'Origins whose pages may call the API, in lower case, separated by commas',
    examples: ['https://tienda.example'],
  }),
  PUBLIC_URL: publicAddress,
  ...localTimeSettings,
  CARRIER_NAME: Type.String({
    default: 'Paquetería',
    description: "Carrier's name on labels, pages and mails",
  }),
  PRIVACY_NOTICE_URL: Type.Optional(
    Type.String({
      format: 'uri',
      pattern: '^https?://',
      description:
        "Address of the carrier's privacy notice (aviso de privacidad), to which the page of a return and notices to recipients lead",
      examples: ['https://guias.example/privacidad'],
    }),
  ),
  ...ROOM_SETTINGS,
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
