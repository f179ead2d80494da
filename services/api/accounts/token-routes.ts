import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { ignoreBodies } from '../http/ignored-body.ts';
import { operation } from '../http/operation.ts';
import { Nothing } from '../http/schemas.ts';
import type { Caller } from './account-limits.ts';
import { audit } from './hooks/audit.ts';
import { apiUser } from './hooks/authenticate.ts';
import type { AccountsContext } from './open.ts';

const permissions = operation({
  id: 'listarPermisos',
  action: 'account',
  tag: 'Autenticacion',
  summary: 'Permisos del usuario actual',
  description: 'Lo que se puede hacer con el token. Un cambio vale en menos de 10 segundos.',
  permission: 'any',
  data: {
    name: 'Permisos',
    message: (names) => `Permisos: ${names.length}`,
    schema: Type.Array(Type.String(), { description: 'En orden alfabético' }),
    example: ['guias.create', 'guias.read'],
  },
});

function permissionsRoute(server: HttpServer): void {
  server.get('/api/apipermissions/my-permissions', permissions, async (request) =>
    permissions.ok(apiUser(request).permissions.toSorted()),
  );
}

const logout = operation({
  id: 'cerrarSesion',
  action: 'account',
  tag: 'Autenticacion',
  summary: 'Terminar el token',
  description: 'El token deja de valer en menos de 10 segundos. El cuerpo se ignora.',
  permission: 'token',
  data: { name: 'SesionCerrada', message: 'Sesion cerrada', schema: Nothing, example: null },
});

/** Who came by a token, as on each route of the permission `token`. */
type TokenCaller = Caller & Required<Pick<Caller, 'token' | 'expiresAt'>>;

function logoutRoute(server: HttpServer, context: AccountsContext): void {
  server.post('/api/auth/logout', logout, async (request) => {
    const { username, token, expiresAt } = apiUser(request) as TokenCaller;
    await context.users.revokeToken(username, { jti: token.jti, until: expiresAt });
    audit(context, request, { action: 'logout' });
    return logout.ok(null);
  });
}

const validation = operation({
  id: 'validarToken',
  action: 'account',
  tag: 'Autenticacion',
  summary: 'Validar el token',
  description: 'De quién es el token, y hasta cuándo vale.',
  permission: 'any',
  data: {
    name: 'Token',
    message: 'Token valido',
    schema: Type.Object(
      {
        usuario: Type.String(),
        cuenta: Type.String({ description: 'Cuenta del usuario: sus usuarios ven las mismas guías' }),
        sucursal: Type.Union([Type.String(), Type.Null()], { description: 'Sucursal de origen del usuario' }),
        prueba: Type.Optional(
          Type.Literal(true, { description: 'Si la cuenta es de prueba: nada de ella es real' }),
        ),
        expira: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
          description: 'ISO 8601, UTC; null si no tiene fin, como una llave sin `Vence`',
        }),
      },
      { title: 'Token', description: 'Un token válido' },
    ),
    example: { usuario: 'demo', cuenta: 'demo', sucursal: 'MEX01', expira: '2026-11-21T18:00:00.000Z' },
  },
});

function validationRoute(server: HttpServer): void {
  server.get('/api/auth/validate', validation, async (request) => {
    const { username, account, originBranch, test, expiresAt } = apiUser(request);
    const expira = expiresAt?.toISOString() ?? null;
    const kind = test && ({ prueba: true } as const);
    return validation.ok({ usuario: username, cuenta: account, sucursal: originBranch, ...kind, expira });
  });
}

/** What a token may do, its end and its check (docs/contract.md "Authentication"). */
export function tokenRoutes(server: HttpServer, context: AccountsContext): void {
  permissionsRoute(server);
  ignoreBodies(server);
  logoutRoute(server, context);
  validationRoute(server);
}
