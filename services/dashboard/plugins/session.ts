import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { ApiUser, UserStore } from '#shared/auth/user-store.ts';
import { digest } from '#shared/digest.ts';
import { DomainError } from '#shared/errors.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/** Lifetime of a session, in seconds: a working day. The user then logs in again. */
const SESSION_TTL_S = 28_800;

/**
 * The sessions of logged-in users. The browser has an unguessable id in a cookie. Redis has the user and the user's
 * generation of tokens, under the id's digest: reading Redis opens no session, and what ends a user's tokens ends them too.
 */
export type Sessions = {
  /** Begins a session and returns its id. */
  begin(user: ApiUser): Promise<string>;
  end(id: string): Promise<void>;
  /** Returns the session's user, as stored at most five seconds ago; undefined once the user may no longer enter. */
  userOf(id: string): Promise<ApiUser | undefined>;
};

/** Keeps sessions in Redis. */
export function createSessions(options: { redis: RedisClient; prefix: string; users: UserStore }): Sessions {
  const { redis, prefix, users } = options;
  const key = (id: string) => `${prefix}:session:${digest(id)}`;
  return {
    async begin({ username, tokenGeneration: generation }) {
      const id = randomBytes(32).toString('base64url');
      const session = JSON.stringify({ username, generation });
      await redis.set(key(id), session, 'EX', SESSION_TTL_S);
      return id;
    },
    async end(id) {
      await redis.del(key(id));
    },
    async userOf(id) {
      const text = await redis.get(key(id));
      if (!text) return undefined;
      const { username, generation } = JSON.parse(text) as { username: string; generation: number };
      const user = await users.findRecent(username, generation);
      const valid = user && !user.disabled && mayEnter(user) && user.tokenGeneration === generation;
      return valid ? user : undefined;
    },
  };
}

/** Tells whether the user may see the dashboard. */
export function mayEnter({ permissions }: ApiUser): boolean {
  return permissions.includes('colas.admin');
}

/**
 * Describes the session's cookie. SameSite is `lax`: with `strict`, whoever follows a link from an alert would have to log
 * in again. No link changes anything (`csrf.ts`). With `__Host-` no other host of our domain can set the cookie.
 */
export function sessionCookie(secure: boolean) {
  return {
    name: secure ? '__Host-sesion' : 'sesion',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: SESSION_TTL_S },
  } as const;
}

/** Creates an onRequest hook that requires a session. The hook throws DomainError `session-missing`. */
export function requireSession(sessions: Sessions, cookieName: string) {
  return async (request: FastifyRequest): Promise<void> => {
    const id = request.cookies[cookieName];
    const user = id && (await sessions.userOf(id));
    if (!user) throw new DomainError('session-missing');
    request.apiUser = user;
  };
}
