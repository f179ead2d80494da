import { LruMap } from 'toad-cache';
import { addressGroup } from '#shared/auth/address-group.ts';
import type { LoginAttempt } from '#shared/auth/login.ts';
import { loginMetrics } from '#shared/auth/login-metrics.ts';
import type { UserStore } from '#shared/auth/user-store.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Trail } from './trail.ts';

/** How long a limit that was reached is not recorded again, in ms: as long as failures are counted. */
const LOCKED_MS = 900_000;
/** Limits that are remembered as recorded; a flood from more addresses records some of them again. */
const MAX_LOCKED = 10_000;

/** Returns what counts and records every attempt to log in to a service. */
export function observeLogins(server: HttpServer, trail: Trail, users: UserStore) {
  const count = loginMetrics(server.metrics);
  const record = recordLogins(trail, users);
  return (attempt: LoginAttempt): void => {
    count(attempt);
    record(attempt);
  };
}

/**
 * Returns what records an attempt to log in. A limit is recorded once when it is reached, not with every request that it
 * refuses. A name is recorded only where it is a user's: people also type their password into that field.
 */
export function recordLogins(trail: Trail, users: Pick<UserStore, 'findRecent'>) {
  const locked = new LruMap<number>(MAX_LOCKED);
  /** Returns whether a limit was recorded a short time ago, and remembers that it is now. */
  const wasRecorded = ({ outcome, username, address }: LoginAttempt): boolean => {
    const key = `${outcome} ${addressGroup(address)} ${outcome === 'pair_limit' ? username : ''}`;
    const recorded = (locked.get(key) ?? 0) > performance.now();
    if (!recorded) locked.set(key, performance.now() + LOCKED_MS);
    return recorded;
  };
  return (attempt: LoginAttempt): void => {
    const { outcome, username, address, requestId } = attempt;
    if (outcome === 'overload') return; // nothing was decided
    const isLimit = outcome === 'address_limit' || outcome === 'pair_limit';
    if (isLimit && wasRecorded(attempt)) return;
    const record = (user?: { username: string; account: string }) =>
      trail.record({
        action: isLimit ? 'login.locked' : 'login',
        actor: user?.username ?? 'unknown',
        account: user?.account,
        address,
        requestId,
        outcome: outcome === 'right' ? 'ok' : 'refused',
        ...(outcome !== 'right' && { details: { reason: outcome } }),
      });
    users.findRecent(username).then(record, () => record());
  };
}
