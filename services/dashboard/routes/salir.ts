import type { Trail } from '#shared/audit/trail.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Sessions, sessionCookie } from '../plugins/session.ts';

/** `/salir`: ends the session, if there is one. */
export function logoutRoute(sessions: Sessions, cookie: ReturnType<typeof sessionCookie>, trail: Trail) {
  return async (server: HttpServer) => {
    server.post('/salir', async (request, reply) => {
      const id = request.cookies[cookie.name];
      // Also when MongoDB is away, the session ends; the trail then lacks it.
      const user = id && (await sessions.userOf(id).catch(() => undefined));
      if (id) await sessions.end(id);
      if (user) {
        const { username: actor, account } = user;
        trail.record({
          action: 'logout',
          actor,
          account,
          address: request.ip,
          requestId: request.id,
          outcome: 'ok',
        });
      }
      reply.clearCookie(cookie.name, cookie.options);
      return reply.redirect('/entrar', 303);
    });
  };
}
