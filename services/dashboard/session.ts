import { hash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Type } from 'typebox';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { Trail } from '#shared/audit/trail.ts';
import type { Login } from '#shared/auth/login.ts';
import type { ApiUser, UserStore } from '#shared/auth/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { loginPage, sendPage } from './pages.ts';

/** Lifetime of a session, in seconds: a working day. The user then logs in again. */
const SESSION_TTL_S = 28_800;
/** Longest wait for MongoDB, in ms; then a session's user is the one that was read before. */
const READ_MS = 1_000;
/** How long ago that may have been, in ms: whoever is on call sees the page, and can pause, while MongoDB is away. */
const REMEMBERED_MS = 1_800_000;
const MAX_REMEMBERED = 1_000;
/** Largest body of the login form, in bytes. */
const BODY_LIMIT = 16 * 1024;
const Credentials = Type.Object({
  usuario: Type.String({ maxLength: 1_000 }),
  contrasena: Type.String({ maxLength: 1_000 }),
});

/**
 * The sessions of logged-in users. The browser has an unguessable id in a cookie. Redis has the user and the user's
 * generation of tokens, under the id's digest: reading Redis opens no session, and what ends a user's tokens ends them too.
 */
export class Sessions {
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #users: UserStore;
  readonly #cookie: string;
  readonly #secure: boolean;
  /** The users of sessions, by name. */
  readonly #remembered = new LRUCache<string, ApiUser>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  /** @param secure whether the cookie is for HTTPS only; then no other host of our domain can set it (`__Host-`). */
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
   * Returns the session's user, as stored at most five seconds ago, or half an hour ago while MongoDB does not answer;
   * undefined once the user may no longer enter.
   */
  async userOf({ cookies }: FastifyRequest): Promise<ApiUser | undefined> {
    const id = cookies[this.#cookie];
    const text = id && (await this.#redis.get(this.#key(id)));
    if (!text) return undefined;
    const { username, generation } = JSON.parse(text) as { username: string; generation: number };
    const user = await this.#read(username, generation);
    const valid = user && !user.disabled && mayEnter(user) && user.tokenGeneration === generation;
    return valid ? user : undefined;
  }

  async #read(username: string, generation: number): Promise<ApiUser | undefined> {
    try {
      const reading = this.#users.findRecent(username, generation);
      const user = await withTimeout(READ_MS, "Reading a session's user", reading);
      if (user) this.#remembered.set(username, user);
      else this.#remembered.delete(username);
      return user;
    } catch (error) {
      const known = this.#remembered.get(username);
      if (!isTransientError(error) || !known) throw error;
      return known;
    }
  }

  #key(id: string): string {
    return `${this.#prefix}:session:${hash('sha256', id, 'base64url')}`;
  }

  /** SameSite is `lax`: with `strict`, whoever follows a link from an alert would log in again. No link changes anything. */
  #cookieOptions() {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.#secure } as const;
  }
}

function mayEnter({ permissions }: ApiUser): boolean {
  return permissions.includes('colas.admin');
}

/** Creates an onRequest hook that requires a session. The hook throws DomainError `session-missing`. */
export function requireSession(sessions: Sessions) {
  return async (request: FastifyRequest): Promise<void> => {
    const user = await sessions.userOf(request);
    if (!user) throw new DomainError('session-missing');
    request.apiUser = user;
  };
}

/** `/entrar`: the login page and its form; a failed login is shown on the page (`pages.ts`). `/salir` ends the session. */
export function loginRoutes(sessions: Sessions, login: Login, trail: Trail) {
  return async (server: HttpServer) => {
    server.get('/entrar', async (_request, reply) => sendPage(reply, loginPage({ message: undefined })));

    const form = { schema: { body: Credentials }, bodyLimit: BODY_LIMIT };
    server.post('/entrar', form, async (request, reply) => {
      const { usuario, contrasena } = request.body;
      const user = await login.check(usuario, contrasena, request.ip, request.id);
      if (!mayEnter(user)) throw new DomainError('forbidden');
      await sessions.begin(user, reply);
      return reply.redirect('/', 303);
    });

    server.post('/salir', async (request, reply) => {
      // Also when MongoDB is away, the session ends; the trail then lacks it.
      const user = await sessions.userOf(request).catch(() => undefined);
      await sessions.end(request, reply);
      if (user) {
        const { username: actor, account } = user;
        const { ip: address, id: requestId } = request;
        await trail.record({ action: 'logout', actor, account, address, requestId, outcome: 'ok' });
      }
      return reply.redirect('/entrar', 303);
    });
  };
}
