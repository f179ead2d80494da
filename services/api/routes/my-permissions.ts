import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../hooks/authenticate.ts';
import { operation } from '../openapi/operation.ts';

const route = operation({
  id: 'listarPermisos',
  tag: 'Autenticacion',
  summary: 'Permisos del usuario actual',
  permission: 'any',
  data: {
    name: 'Permisos',
    message: (permissions) => `Permisos: ${permissions.length}`,
    schema: Type.Array(Type.String(), { description: 'En orden alfabético' }),
    example: ['guias.create', 'guias.read'],
  },
});

/** `GET /api/apipermissions/my-permissions` (docs/contract.md "Authentication"). */
export async function myPermissionsRoute(server: HttpServer): Promise<void> {
  server.get('/api/apipermissions/my-permissions', route, async (request) =>
    route.ok(apiUser(request).permissions.toSorted()),
  );
}
