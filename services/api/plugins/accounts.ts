import fp from 'fastify-plugin';
import { type AuditLog, openAuditLog } from '#shared/audit/audit-log.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { observeLogins } from '#shared/audit/record-logins.ts';
import { warnOfDemoUsers } from '#shared/auth/demo-users.ts';
import { Login } from '#shared/auth/login.ts';
import { LoginLimit } from '#shared/auth/login-limit.ts';
import { UserStore } from '#shared/auth/user-store.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';

declare module 'fastify' {
  interface FastifyInstance {
    users: UserStore;
    login: Login;
    auditLog: AuditLog;
  }
}

export const accountsPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const { mongo, redis } = server;
  warnOfDemoUsers(config, server.log);
  const audit = new AuditStore(mongo);
  const auditLog = openAuditLog(server, 'api', audit);
  const users = new UserStore(mongo, { allowDemo: config.ALLOW_DEMO_USERS });
  const limit = new LoginLimit(redis, `${config.REDIS_PREFIX}:login`, config.LOGIN_FAILURES_PER_ADDRESS);
  const onAttempt = observeLogins(server, auditLog, users);
  server.decorate('auditLog', auditLog);
  server.decorate('users', users);
  server.decorate('login', new Login({ users, limit, onAttempt, rehash: true }));
});
