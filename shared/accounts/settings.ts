import { Type } from 'typebox';
import { SECRET } from '../config/settings.ts';

/** Settings of services in which people or programs log in. */
export const loginSettings = {
  LOGIN_FAILURES_PER_ADDRESS: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Failed logins allowed per client address in 15 minutes. An IPv6 address counts by its /64',
  }),
  ALLOW_DEMO_USERS: Type.Boolean({
    default: false,
    description: 'Whether demo users may log in. Everybody knows their password',
  }),
};

/** Largest limit of an account, also where `admin limits` sets it. */
export const MAX_LIMIT = 1_000_000_000;

function limit(value: number, description: string) {
  return Type.Integer({ default: value, minimum: 1, maximum: MAX_LIMIT, description });
}

/** Settings of the api alone. */
export const accountSettings = {
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
};
