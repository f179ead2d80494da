import { createHash, randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Redis } from 'ioredis';
import type { ApiUser, UserStore } from '#shared/auth/user-store.ts';
import { DomainError } from '#shared/errors.ts';

/**
 * Who is logged in. The browser has an unguessable id in a cookie; Redis has, under the id's hash (so that reading
 * Redis opens nothing), whose it is and for which password: a new password ends the sessions of the old one.
 */
export type Sessions = {
  /** @returns the session's id. */
  begin(user: ApiUser): Promise<string>;
  end(id: string): Promise<void>;
  /** The user, as stored at most five seconds ago, while he may still enter. */
  userOf(id: string): Promise<ApiUser | undefined>;
};

export function createSessions(options: {
  redis: Redis;
  prefix: string;
  users: UserStore;
  ttlS: number;
}): Sessions {
  const { redis, prefix, users, ttlS } = options;
  const key = (id: string) => `${prefix}:session:${digest(id)}`;
  return {
    async begin({ username, passwordHash }) {
      const id = randomBytes(32).toString('base64url');
      const session = JSON.stringify({ username, password: digest(passwordHash) });
      await redis.set(key(id), session, 'EX', ttlS);
      return id;
    },
    async end(id) {
      await redis.del(key(id));
    },
    async userOf(id) {
      const text = await redis.get(key(id));
      if (!text) return undefined;
      const { username, password } = JSON.parse(text) as { username: string; password: string };
      const user = await users.findRecent(username);
      const valid = user && !user.disabled && mayEnter(user) && digest(user.passwordHash) === password;
      return valid ? user : undefined;
    },
  };
}

export function mayEnter({ permissions }: ApiUser): boolean {
  return permissions.includes('colas.admin');
}

/**
 * The session's cookie. `lax` and not `strict`, which would ask whoever follows a link from an alert to log in
 * again; what changes something is never a link (`same-origin.ts`). With `__Host-` no other name of our domain can set it.
 */
export function sessionCookie(options: { secure: boolean; ttlS: number }) {
  const { secure, ttlS } = options;
  return {
    name: secure ? '__Host-sesion' : 'sesion',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: ttlS },
  } as const;
}

/**
 * An onRequest hook that lets in only who has a session.
 *
 * @throws DomainError `session-missing`
 */
export function requireSession(sessions: Sessions, cookieName: string) {
  return async (request: FastifyRequest): Promise<void> => {
    const id = request.cookies[cookieName];
    const user = id && (await sessions.userOf(id));
    if (!user) throw new DomainError('session-missing');
    request.apiUser = user;
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
