import { warnOfDemoUsers } from '#shared/accounts/demo-users.ts';
import { Login } from '#shared/accounts/login.ts';
import { LoginLimit } from '#shared/accounts/login-limit.ts';
import { observeLogins } from '#shared/accounts/record-logins.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { openAuditLog } from '#shared/audit/audit-log.ts';
import { AUDIT, AuditStore } from '#shared/audit/audit-store.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Base } from '../http/room.ts';
import type { Accounts } from './context.ts';
import { openLimits } from './open-limits.ts';
import { openTokens } from './open-tokens.ts';

export async function openAccounts(server: HttpServer, base: Base): Promise<Accounts> {
  const { config, mongo, redis, indexes, log, metrics } = base;
  indexes.add(AUDIT);
  warnOfDemoUsers(config, log);
  const auditLog = openAuditLog(server, 'api', new AuditStore(mongo));
  const users = new UserStore(mongo, { allowDemo: config.ALLOW_DEMO_USERS });
  const loginLimit = new LoginLimit(redis, `${config.REDIS_PREFIX}:login`, config.LOGIN_FAILURES_PER_ADDRESS);
  const onLogin = observeLogins(metrics, auditLog, users);
  return {
    ...(await openTokens(server, base)),
    ...openLimits(base),
    auditLog,
    users,
    loginLimit,
    onLogin,
    bearerKinds: [],
    login: new Login({ users, limit: loginLimit, onAttempt: onLogin, rehash: true }),
  };
}
