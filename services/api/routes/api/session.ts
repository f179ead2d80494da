import { Type } from 'typebox';
import { type HttpServer, ok } from '#shared/http/http-server.ts';
import { apiUser } from '../../plugins/authenticate.ts';
import { describe } from '../operation.ts';

const config = { permission: 'any' } as const;

const validate = describe({
  id: 'validarToken',
  tag: 'Autenticación',
  summary: 'Validar el token',
  permission: 'any',
  data: {
    message: 'Token valido',
    schema: Type.Object({
      usuario: Type.String(),
      sucursal: Type.Union([Type.String(), Type.Null()], { description: 'Sucursal de origen del usuario' }),
      expira: Type.String({ format: 'date-time', description: 'ISO 8601, UTC' }),
    }),
    example: { usuario: 'demo', sucursal: 'MEX01', expira: '2026-11-21T18:00:00.000Z' },
  },
});
const myPermissions = describe({
  id: 'misPermisos',
  tag: 'Autenticación',
  summary: 'Permisos del usuario actual',
  permission: 'any',
  data: {
    message: 'Permisos: 2',
    schema: Type.Array(Type.String(), { description: 'En orden alfabético' }),
    example: ['guias.create', 'guias.read'],
  },
});

/** `/api/auth/validate`, `my-permissions`: what a token says of its user (docs/contract.md "Authentication"). */
export async function sessionRoutes(server: HttpServer): Promise<void> {
  server.get('/auth/validate', { config, schema: validate }, async (request) => {
    const { username, originBranch } = apiUser(request);
    const expira = new Date(request.user.exp * 1_000).toISOString();
    return ok('Token valido', { usuario: username, sucursal: originBranch, expira });
  });
  server.get('/apipermissions/my-permissions', { config, schema: myPermissions }, async (request) => {
    const permissions = apiUser(request).permissions.toSorted();
    return ok(`Permisos: ${permissions.length}`, permissions);
  });
}
