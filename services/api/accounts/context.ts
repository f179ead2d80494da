import type { Login, LoginAttempt } from '#shared/accounts/login.ts';
import type { LoginLimit } from '#shared/accounts/login-limit.ts';
import type { UserStore } from '#shared/accounts/user-store.ts';
import type { AuditLog } from '#shared/audit/audit-log.ts';
import type { AuditAction } from '#shared/rooms.ts';
import type { Base } from '../http/room.ts';
import type { BearerKind } from './bearer.ts';
import type { Limits } from './open-limits.ts';
import type { Tokens } from './open-tokens.ts';

/** What accounts provide. */
export type Accounts = Tokens &
  Limits & {
    users: UserStore;
    login: Login;
    loginLimit: LoginLimit;
    /** Counts and records a decided login; never rejects. */
    onLogin(attempt: LoginAttempt): Promise<void>;
    /** Credentials beside tokens. Rooms above add theirs. */
    bearerKinds: BearerKind[];
    auditLog: AuditLog<AuditAction>;
  };
export type AccountsContext = Base & Accounts;
