import type { HttpServer } from '#shared/http/http-server.ts';
import type { Sessions, sessionCookie } from '../plugins/session.ts';

/** `/salir`: ends the session, if there is one. */
export function logoutRoute(sessions: Sessions, cookie: ReturnType<typeof sessionCookie>) {
  return async (server: HttpServer) => {
    server.post('/salir', async (request, reply) => {
      const id = request.cookies[cookie.name];
      if (id) await sessions.end(id);
      reply.clearCookie(cookie.name, cookie.options);
      return reply.redirect('/entrar', 303);
    });
  };
}
