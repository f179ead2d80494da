import { hash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Login } from '#shared/accounts/login.ts';
import type { ApiUser, UserStore } from '#shared/accounts/user-store.ts';
import type { AuditLog } from '#shared/audit/audit-log.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { AuditAction, Permission } from '#shared/rooms.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { loginPage, sendPage } from './pages.ts';
import { homeOf } from './tabs.ts';
import type { Watch } from './watch.ts';

/** A working day. */
const SESSION_TTL_S = 28_800;
const BODY_LIMIT = 16 * 1024;
const Credentials = Type.Object({
  usuario: Type.String({ maxLength: 1_000 }),
  contrasena: Type.String({ maxLength: 1_000 }),
});

/**
 * Sessions in Redis. The browser's cookie has a random id. Redis keeps the user and token generation under the id's
 * digest, so a reader of Redis cannot open a session. Ending all tokens of a user also ends the user's sessions.
 */
export class Sessions {
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #users: UserStore;
  readonly #cookie: string;
  readonly #secure: boolean;

  /** @param secure whether the cookie is for HTTPS only. Then no other host of our domain can set it (`__Host-`). */
  constructor(redis: RedisClient, prefix: string, users: UserStore, secure: boolean) {
    this.#redis = redis;
    this.#prefix = prefix;
    this.#users = users;
    this.#secure = secure;
    this.#cookie = secure ? '__Host-sesion' : 'sesion';
  }

  async begin({ username, tokenGeneration: generation }: ApiUser, reply: FastifyReply): Promise<void> {
    const id = randomBytes(32).toString('base64url');
    await this.#redis.set(this.#key(id), JSON.stringify({ username, generation }), 'EX', SESSION_TTL_S);
    reply.setCookie(this.#cookie, id, { ...this.#cookieOptions(), maxAge: SESSION_TTL_S });
  }

  async end({ cookies }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = cookies[this.#cookie];
    if (id) await this.#redis.del(this.#key(id));
    reply.clearCookie(this.#cookie, this.#cookieOptions());
  }

  /**
   * Returns the session's user as stored at most five seconds ago, or half an hour ago while MongoDB is away. Returns
   * undefined if the user may no longer enter.
   */
  async userOf({ cookies }: FastifyRequest): Promise<ApiUser | undefined> {
    const id = cookies[this.#cookie];
    const text = id && (await this.#redis.get(this.#key(id)));
    if (!text) return undefined;
    const { username, generation } = JSON.parse(text) as { username: string; generation: number };
    const user = await this.#users.findRecent(username, generation);
    const valid = user && !user.disabled && homeOf(user) && user.tokenGeneration === generation;
    return valid ? user : undefined;
  }

  #key(id: string): string {
    return `${this.#prefix}:session:${hash('sha256', id, 'base64url')}`;
  }

  /** Uses `lax`: with `strict`, a link from an alert would require another login. No link changes anything. */
  #cookieOptions() {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.#secure } as const;
  }
}

/** Returns a hook that throws DomainError `session-missing`. */
export function requireSession(sessions: Sessions) {
  return async (request: FastifyRequest): Promise<void> => {
    const user = await sessions.userOf(request);
    if (!user) throw new DomainError('session-missing');
    request.apiUser = user;
  };
}

/**
 * Returns a hook, after that of `requireSession`, that throws DomainError `forbidden`. From `/`, where links and bookmarks
 * lead, it redirects to the page on which the user begins.
 */
export function requirePermission(permission: Permission) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const user = request.apiUser as ApiUser;
    if (user.permissions.includes(permission)) return;
    const home = homeOf(user);
    if (request.url === '/' && home) return reply.redirect(home.href, 303);
    throw new DomainError('forbidden', { params: { permission } });
  };
}

/** `pages.ts` shows a failed login. */
export function loginRoutes(sessions: Sessions, login: Login, auditLog: AuditLog<AuditAction>, watch: Watch) {
  return async (server: HttpServer) => {
    server.get('/entrar', async (_request, reply) => sendPage(reply, await loginPage(watch)));

    const form = { schema: { body: Credentials }, bodyLimit: BODY_LIMIT };
    server.post('/entrar', form, async (request, reply) => {
      const { usuario, contrasena } = request.body;
      const user = await login.check(usuario, contrasena, request.ip, request.id);
      const home = homeOf(user);
      if (!home)
        throw new DomainError('forbidden', { params: { permission: 'colas.admin ni soporte.read' } });
      await sessions.begin(user, reply);
      return reply.redirect(home.href, 303);
    });

    server.post('/salir', async (request, reply) => {
      // A logout also works while MongoDB is away. The audit log then lacks the entry.
      const user = await sessions.userOf(request).catch(() => undefined);
      await sessions.end(request, reply);
      if (user) {
        const { username: actor, account } = user;
        const { ip: address, id: requestId } = request;
        await auditLog.record({ action: 'logout', actor, account, address, requestId, outcome: 'ok' });
      }
      return reply.redirect('/entrar', 303);
    });
  };
}
