import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../../authenticate.ts';
import { operation } from '../../operation.ts';
import { Nothing } from '../../schemas.ts';
import { ignoreBodies } from './ignored-body.ts';

const route = operation({
  id: 'cerrarSesion',
  tag: 'Autenticacion',
  summary: 'Terminar el token',
  description: 'El token deja de valer en menos de 10 segundos. El cuerpo se ignora.',
  permission: 'any',
  data: { name: 'SesionCerrada', message: 'Sesion cerrada', schema: Nothing, example: null },
});

/** `POST /api/auth/logout` (docs/contract.md "Authentication"). */
export default async function logoutRoute(server: HttpServer): Promise<void> {
  const { users, trail } = server;
  ignoreBodies(server);
  server.post('/logout', route, async (request) => {
    const { username, account } = apiUser(request);
    const { jti, exp } = request.user;
    await users.revokeToken(username, { jti, until: new Date(exp * 1_000) });
    trail.record({
      action: 'logout',
      actor: username,
      account,
      address: request.ip,
      requestId: request.id,
      outcome: 'ok',
    });
    return route.ok(null);
  });
}
