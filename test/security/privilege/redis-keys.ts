import type { RedisService } from '#shared/stores/redis-families.ts';

/** What each service may do with a key: read (r) and write (w). */
type Rights = Readonly<Record<RedisService, '' | 'r' | 'rw'>>;

/**
 * Every key that the services use, after the prefix, where `*` stands for what varies, and the services' rights to it.
 * `services.test.ts` compares the keys with those that the services send.
 */
export const KEYS: readonly [key: string, may: Rights][] = [
  [':labels:*', { api: 'rw', branches: '', 'label-worker': 'rw', dashboard: 'rw', webhooks: '' }],
  [':label:*', { api: 'r', branches: '', 'label-worker': 'rw', dashboard: '', webhooks: '' }],
  [':answers:guide:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: 'r', webhooks: '' }],
  [':answers:request:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: 'r', webhooks: '' }],
  [':write-check', { api: 'rw', branches: 'rw', 'label-worker': 'rw', dashboard: 'rw', webhooks: 'rw' }],
  [':label-count:*', { api: 'rw', branches: '', 'label-worker': 'rw', dashboard: 'r', webhooks: 'rw' }],
  [':worker:*', { api: 'r', branches: '', 'label-worker': 'rw', dashboard: 'r', webhooks: '' }],
  [':workers', { api: 'r', branches: '', 'label-worker': 'rw', dashboard: 'r', webhooks: '' }],
  [':service:*', { api: 'rw', branches: 'rw', 'label-worker': '', dashboard: 'r', webhooks: 'rw' }],
  [':services', { api: 'rw', branches: 'rw', 'label-worker': '', dashboard: 'r', webhooks: 'rw' }],
  [':branches', { api: '', branches: 'rw', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':branches:*', { api: '', branches: 'rw', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':session:*', { api: '', branches: '', 'label-worker': '', dashboard: 'rw', webhooks: '' }],
  [':problems', { api: '', branches: '', 'label-worker': '', dashboard: 'rw', webhooks: '' }],
  [':login-address:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':login-pair:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':login-known:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':tracking:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':calculator:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':pictures:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':notices:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':devolver:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [
    ':dashboard-login-address:*',
    { api: '', branches: '', 'label-worker': '', dashboard: 'rw', webhooks: '' },
  ],
  [':dashboard-login-pair:*', { api: '', branches: '', 'label-worker': '', dashboard: 'rw', webhooks: '' }],
  [':dashboard-login-known:*', { api: '', branches: '', 'label-worker': '', dashboard: 'rw', webhooks: '' }],
  [':requests-account:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':requests-probe:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':retention', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':retention-lease', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
  [':guides-account:*', { api: 'rw', branches: '', 'label-worker': '', dashboard: '', webhooks: '' }],
];

/** Returns whether a key, after the prefix, is one of those that a pattern with `*` stands for. */
export function fitsKey(key: string, pattern: string): boolean {
  return RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(key);
}
