import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { MAX_CREDENTIAL } from '#shared/accounts/login.ts';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import type { ErrorCode } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { ignoreBodies } from '../http/ignored-body.ts';
import { operation } from '../http/operation.ts';
import { describeHeaders } from '../http/responses.ts';
import type { AccountsContext } from './open.ts';

const LENGTH = { minLength: 1, maxLength: MAX_CREDENTIAL };
export const CredentialHeaders = Type.Object({
  'x-username': Type.String({ description: 'Usuario API, en UTF-8 o Latin-1', ...LENGTH }),
  'x-password': Type.String({ description: 'Contraseña, en UTF-8 o Latin-1', ...LENGTH }),
});
export const LOGIN_ERRORS = [
  ...(['credentials-missing', 'credentials-wrong', 'password-one-time-expired'] as const),
  ...(['too-many-logins', 'overloaded'] as const),
] satisfies ErrorCode[];

const route = operation({
  id: 'iniciarSesion',
  tag: 'Autenticacion',
  action: 'login',
  summary: 'Entrar y obtener un token de acceso',
  description: 'El cuerpo se ignora.',
  request: { headers: CredentialHeaders },
  // Lengths are of the decoded text; a missing header has another error than a long one.
  validatedBy: 'handler',
  errors: [...LOGIN_ERRORS, 'password-one-time', 'body-too-large'],
  data: {
    name: 'Sesion',
    message: 'Login exitoso',
    schema: Type.Object(
      {
        access_token: Type.String({ description: 'JWT' }),
        token_type: Type.Literal('Bearer'),
        expires_in: Type.Integer({ description: 'Segundos' }),
      },
      { title: 'Sesion', description: 'Lo que da el inicio de una sesión' },
    ),
    headers: describeHeaders({ 'Cache-Control': 'no-store' }),
    example: { access_token: 'eyJhbGciOiJIUzI1NiJ9…', token_type: 'Bearer', expires_in: 3600 },
  },
});

/** `POST /api/auth/login` (docs/contract.md "Authentication"). */
export function loginRoute(server: HttpServer, { config, users, login, signToken }: AccountsContext): void {
  ignoreBodies(server);
  neverStored(server);
  server.post('/api/auth/login', route, async (request) => {
    const { username, password, address, requestId } = credentialsOf(request);
    // Before the check, because a login that fails returns no user. From the cache alone: a read for each failure would let a flood
    // of logins load the database.
    markCanary(request, users.lastRead(username));
    const user = await login.check(username, password, address, requestId);
    markCanary(request, user);
    const access_token = signToken(user);
    return route.ok({ access_token, token_type: 'Bearer', expires_in: config.JWT_TTL_S });
  });
}

function markCanary(request: FastifyRequest, user: ApiUser | undefined): void {
  if (user?.canaryOf !== undefined) request.ofCanary = true;
}

/** Forbids caches to store the answers of a scope, also errors. */
export function neverStored(server: HttpServer): void {
  server.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
}

/** A missing header gives an empty text, which `Login` refuses. */
export function credentialsOf({ headers, ip, id }: FastifyRequest) {
  const [username, password] = [decoded(headers['x-username']), decoded(headers['x-password'])];
  return { username, password, address: ip, requestId: id };
}

/** Decodes a header, which Node reads as Latin-1: some clients send UTF-8, others Latin-1. */
function decoded(header: string | string[] = ''): string {
  const text = String(header);
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
}
