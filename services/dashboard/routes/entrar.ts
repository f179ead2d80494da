import { Type } from 'typebox';
import type { Login } from '#shared/auth/login.ts';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { mayEnter, type Sessions, type sessionCookie } from '../plugins/session.ts';
import { loginPage } from '../views/login-page.ts';

const Credentials = Type.Object({
  usuario: Type.String({ maxLength: 1_000 }),
  contrasena: Type.String({ maxLength: 1_000 }),
});
/** Largest body of the form, in bytes. */
const BODY_LIMIT = 16 * 1024;

/** `/entrar`: the login page and its form. A failed login is shown on the page (`plugins/error-pages.ts`). */
export function loginRoutes(options: {
  login: Login;
  sessions: Sessions;
  cookie: ReturnType<typeof sessionCookie>;
}) {
  const { login, sessions, cookie } = options;
  return async (server: HttpServer) => {
    server.get('/entrar', async (_request, reply) =>
      reply.type('text/html; charset=utf-8').send(loginPage({})),
    );

    server.post(
      '/entrar',
      { schema: { body: Credentials }, bodyLimit: BODY_LIMIT },
      async (request, reply) => {
        const { usuario, contrasena } = request.body;
        const user = await login.check(usuario, contrasena, request.ip, request.id);
        if (!mayEnter(user)) throw new DomainError('forbidden');
        reply.setCookie(cookie.name, await sessions.begin(user), cookie.options);
        return reply.redirect('/', 303);
      },
    );
  };
}
