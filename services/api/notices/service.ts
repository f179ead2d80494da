import type { ApiConfig } from '../config.ts';

/** What notices are sent with. */
export type Service = {
  smtpUrl: string;
  from: string;
  secret: string;
  publicUrl: string;
  privacyNotice: string;
};

/**
 * Returns what notices are sent with; undefined if the settings name no mail server.
 *
 * @throws Error that names the settings that are missing beside one.
 */
export function serviceOf(config: ApiConfig): Service | undefined {
  const { SMTP_URL: smtpUrl, MAIL_FROM: from, NOTICES_SECRET: secret } = config;
  const { PUBLIC_URL: publicUrl, PRIVACY_NOTICE_URL: privacyNotice } = config;
  if (smtpUrl === undefined) return undefined;
  if (from && secret && publicUrl && privacyNotice)
    return { smtpUrl, from, secret, publicUrl, privacyNotice };
  const needed = ['MAIL_FROM', 'NOTICES_SECRET', 'PUBLIC_URL', 'PRIVACY_NOTICE_URL'] as const;
  const missing = needed.filter((name) => config[name] === undefined);
  throw new Error(`Notices by SMTP_URL also need ${missing.join(', ')}`);
}
