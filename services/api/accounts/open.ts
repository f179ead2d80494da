import { warnOfDemoUsers } from '#shared/accounts/demo-users.ts';
import { Login } from '#shared/accounts/login.ts';
import { LoginLimit } from '#shared/accounts/login-limit.ts';
import { observeLogins } from '#shared/accounts/record-logins.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { openAuditLog } from '#shared/audit/audit-log.ts';
import { AUDIT, AuditStore } from '#shared/audit/audit-store.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Base } from '../http/room.ts';
import type { BearerKind } from './bearer.ts';
import { openLimits } from './open-limits.ts';
import { openTokens } from './open-tokens.ts';

/** What the room provides. */
export type Accounts = Awaited<ReturnType<typeof openAccounts>>;
export type AccountsContext = Base & Accounts;

export async function openAccounts(server: HttpServer, base: Base) {
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
    /** Credentials beside tokens. Rooms above add theirs. */
    bearerKinds: [] as BearerKind[],
    login: new Login({ users, limit: loginLimit, onAttempt: onLogin, rehash: true }),
  };
}
