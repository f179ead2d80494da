import { type HttpServer, ok } from '../../../../shared/http-server.ts';
import { apiUser } from '../../auth/authenticate.ts';

const config = { permission: 'any' } as const;

/** What a token says of its user (contract, "Authentication"): `/api/auth/validate` and `my-permissions`. */
export async function sessionRoutes(server: HttpServer): Promise<void> {
  server.get('/auth/validate', { config }, async (request) => {
    const { username, originBranch } = apiUser(request);
    const expira = new Date(request.user.exp * 1_000).toISOString();
    return ok('Token valido', { usuario: username, sucursal: originBranch, expira });
  });
  server.get('/apipermissions/my-permissions', { config }, async (request) => {
    const permissions = apiUser(request).permissions.toSorted();
    return ok(`Permisos: ${permissions.length}`, permissions);
  });
}
