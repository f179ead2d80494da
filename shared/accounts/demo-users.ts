import type { Logger } from '#shared/observability/logger.ts';

const LOOPBACK = /^(127\.|::1$|localhost$)/;

/** Warns if users whose password everybody knows may log in from elsewhere. */
export function warnOfDemoUsers(
  { ALLOW_DEMO_USERS, HOST }: { ALLOW_DEMO_USERS: boolean; HOST: string },
  log: Pick<Logger, 'warn'>,
): void {
  if (!ALLOW_DEMO_USERS || LOOPBACK.test(HOST)) return;
  log.warn(
    { host: HOST },
    'ALLOW_DEMO_USERS is on, and other machines may reach this one: everybody knows the demo password',
  );
}
