import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../../authenticate.ts';
import { operation } from '../../operation.ts';

const route = operation({
  id: 'validarToken',
  tag: 'Autenticacion',
  summary: 'Validar el token',
  permission: 'any',
  data: {
    name: 'Token',
    message: 'Token valido',
    schema: Type.Object(
      {
        usuario: Type.String(),
        cuenta: Type.String({ description: 'Cuenta del usuario: sus usuarios ven las mismas guías' }),
        sucursal: Type.Union([Type.String(), Type.Null()], { description: 'Sucursal de origen del usuario' }),
        expira: Type.String({ format: 'date-time', description: 'ISO 8601, UTC' }),
      },
      { title: 'Token', description: 'Un token válido' },
    ),
    example: { usuario: 'demo', cuenta: 'demo', sucursal: 'MEX01', expira: '2026-11-21T18:00:00.000Z' },
  },
});

/** `GET /api/auth/validate` (docs/contract.md "Authentication"). */
export default async function validateRoute(server: HttpServer): Promise<void> {
  server.get('/validate', route, async (request) => {
    const { username, account, originBranch } = apiUser(request);
    const expira = new Date(request.user.exp * 1_000).toISOString();
    return route.ok({ usuario: username, cuenta: account, sucursal: originBranch, expira });
  });
}
