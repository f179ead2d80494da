import fp from 'fastify-plugin';
import { warnOfDemoUsers } from '#shared/accounts/demo-users.ts';
import { Login, type LoginAttempt } from '#shared/accounts/login.ts';
import { LoginLimit } from '#shared/accounts/login-limit.ts';
import { observeLogins } from '#shared/accounts/record-logins.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { type AuditLog, openAuditLog } from '#shared/audit/audit-log.ts';
import { AUDIT, AuditStore } from '#shared/audit/audit-store.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { AuditAction } from '#shared/rooms.ts';
import type { ApiOptions } from '../config.ts';
import { openIndexes } from '../platform/stores.ts';
import type { BearerKind } from './bearer.ts';

declare module 'fastify' {
  interface FastifyInstance {
    users: UserStore;
    login: Login;
    loginLimit: LoginLimit;
    /** Counts and records a decided login; never rejects. */
    onLogin(attempt: LoginAttempt): Promise<void>;
    /** Credentials beside tokens. Rooms above add theirs. */
    bearerKinds: BearerKind[];
    auditLog: AuditLog<AuditAction>;
  }
}

export const accountsPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const { mongo, redis } = server;
  openIndexes(server, AUDIT);
  warnOfDemoUsers(config, server.log);
  const audit = new AuditStore(mongo);
  const auditLog = openAuditLog(server, 'api', audit);
  const users = new UserStore(mongo, { allowDemo: config.ALLOW_DEMO_USERS });
  const limit = new LoginLimit(redis, `${config.REDIS_PREFIX}:login`, config.LOGIN_FAILURES_PER_ADDRESS);
  const onAttempt = observeLogins(server.metrics, auditLog, users);
  server.decorate('auditLog', auditLog);
  server.decorate('users', users);
  server.decorate('loginLimit', limit);
  server.decorate('onLogin', onAttempt);
  server.decorate('bearerKinds', []);
  server.decorate('login', new Login({ users, limit, onAttempt, rehash: true }));
});
