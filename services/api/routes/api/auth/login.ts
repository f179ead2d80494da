import { Type } from 'typebox';
import { type Login, MAX_CREDENTIAL } from '#shared/auth/login.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { operation } from '../../operation.ts';
import { ignoreBodies } from './ignored-body.ts';

const LENGTH = { minLength: 1, maxLength: MAX_CREDENTIAL };
const route = operation({
  id: 'login',
  tag: 'Autenticación',
  summary: 'Entrar y obtener un token de acceso',
  description: 'El cuerpo se ignora.',
  request: {
    headers: Type.Object({
      'x-username': Type.String({ description: 'Usuario API, en UTF-8', ...LENGTH }),
      'x-password': Type.String({ description: 'Contraseña, en UTF-8', ...LENGTH }),
    }),
  },
  // The lengths are those of the decoded text, and a missing header is another refusal than a header that is too long.
  validatedBy: 'handler',
  errors: ['credentials-missing', 'credentials-wrong', 'too-many-logins', 'overloaded'],
  data: {
    message: 'Login exitoso',
    schema: Type.Object({
      access_token: Type.String({ description: 'JWT' }),
      token_type: Type.Literal('Bearer'),
      expires_in: Type.Integer({ description: 'Segundos' }),
    }),
    example: { access_token: 'eyJhbGciOiJIUzI1NiJ9…', token_type: 'Bearer', expires_in: 3600 },
  },
});

/**
 * `POST /api/auth/login` (docs/contract.md "Authentication").
 *
 * @param tokenTtlS life of a token, in seconds.
 */
export function loginRoute(login: Login, tokenTtlS: number) {
  return async (server: HttpServer) => {
    ignoreBodies(server);
    server.post('/api/auth/login', route, async ({ headers, ip, id }) => {
      const [username, password] = [decoded(headers['x-username']), decoded(headers['x-password'])];
      const user = await login(username, password, ip, id);
      const access_token = server.signToken(user);
      return route.ok({ access_token, token_type: 'Bearer', expires_in: tokenTtlS });
    });
  };
}

/** Decodes a header: clients send UTF-8, and Node reads the bytes as Latin-1. */
function decoded(header = ''): string {
  return Buffer.from(header, 'latin1').toString('utf8');
}
