import { LRUCache } from 'lru-cache';
import { Counter, type Registry } from 'prom-client';
import type { AuditLog } from '#shared/audit/audit-log.ts';
import type { AuditAction } from '#shared/rooms.ts';
import { addressGroup } from '#shared/stores/counting-limiter.ts';
import { LOGIN_FAILURES, type LoginAttempt } from './login.ts';
import type { UserStore } from './user-store.ts';

/** A reached limit is recorded again when its failures no longer count. */
const LOCKED_MS = 900_000;
/** Limits that are remembered as recorded. A flood from more addresses records some of them again. */
const MAX_LOCKED = 10_000;

/** Returns a function that counts and records every attempt to log in to a service. */
export function observeLogins(metrics: Registry, auditLog: AuditLog<AuditAction>, users: UserStore) {
  const count = countFailures(metrics);
  const record = recordLogins(auditLog, users);
  return (attempt: LoginAttempt): Promise<void> => {
    count(attempt);
    return record(attempt);
  };
}

function countFailures(metrics: Registry): (attempt: LoginAttempt) => void {
  const failures = new Counter({
    name: 'login_failures_total',
    help: 'Refused logins: wrong credentials, disabled user, a limit on failures, or too many at once (overload)',
    labelNames: ['reason'],
    registers: [metrics],
  });
  // A counter must exist before its first event, or rate() does not show that event.
  for (const reason of LOGIN_FAILURES) failures.inc({ reason }, 0);
  return ({ outcome }) => {
    if (outcome !== 'right') failures.inc({ reason: outcome });
  };
}

/**
 * Records a reached limit once, not with every refused request. Does not record unknown names, because people also type
 * their password into that field.
 */
function recordLogins(auditLog: AuditLog<AuditAction>, users: Pick<UserStore, 'findRecent'>) {
  const locked = new LRUCache<string, true>({ max: MAX_LOCKED, ttl: LOCKED_MS });
  const wasRecorded = ({ outcome, username, address }: LoginAttempt): boolean => {
    const key = `${outcome} ${addressGroup(address)} ${outcome === 'pair_limit' ? username : ''}`;
    const recorded = locked.has(key);
    if (!recorded) locked.set(key, true);
    return recorded;
  };
  return async (attempt: LoginAttempt): Promise<void> => {
    const { outcome, username, address, requestId, credential, repeated } = attempt;
    if (outcome === 'overload' || repeated) return; // the login was not decided, or is recorded already
    const isLimit = outcome === 'address_limit' || outcome === 'pair_limit';
    if (isLimit && wasRecorded(attempt)) return;
    const record = (user?: { username: string; account: string }) =>
      auditLog.record({
        action: isLimit ? 'login.locked' : 'login',
        actor: user?.username ?? 'unknown',
        account: user?.account,
        address,
        requestId,
        outcome: outcome === 'right' ? 'ok' : 'refused',
        ...(outcome !== 'right' && { details: { reason: outcome, ...(credential && { credential }) } }),
      });
    await users.findRecent(username).then(record, () => record());
  };
}
