import { Counter, type Registry } from 'prom-client';
import type { LoginAttempt } from './login.ts';
import { LOGIN_FAILURES } from './login-refusal.ts';

/** Registers `login_failures_total`. @returns what counts an attempt, where it failed. */
export function loginMetrics(metrics: Registry): (attempt: LoginAttempt) => void {
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
