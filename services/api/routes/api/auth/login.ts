import { Type } from 'typebox';
import { type createLogin, MAX_CREDENTIAL } from '#shared/auth/login.ts';
import { type HttpServer, ok } from '#shared/http/http-server.ts';
import { describe } from '../../operation.ts';

const LENGTH = { minLength: 1, maxLength: MAX_CREDENTIAL };
const headers = Type.Object({
  'x-username': Type.String({ description: 'Usuario API, en UTF-8', ...LENGTH }),
  'x-password': Type.String({ description: 'Contraseña, en UTF-8', ...LENGTH }),
});
const documentation = describe({
  id: 'login',
  tag: 'Autenticación',
  summary: 'Entrar y obtener un token de acceso',
  description: 'El cuerpo se ignora.',
  errors: ['credentials-missing', 'credentials-wrong', 'too-many-logins'],
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

/** `POST /api/auth/login` (docs/contract.md "Authentication"). */
export function loginRoute(login: ReturnType<typeof createLogin>, tokenTtlS: number) {
  return async (server: HttpServer) => {
    // The body says nothing, so it may be anything, also an empty one that calls itself JSON.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume().on('end', () => done(null));
    });
    server.post('/login', { schema: { headers, ...documentation } }, async (request) => {
      const username = headerText(request.headers['x-username']);
      const password = headerText(request.headers['x-password']);
      const user = await login(username, password, request.ip);
      const access_token = server.jwt.sign({ sub: user.username });
      return ok('Login exitoso', { access_token, token_type: 'Bearer', expires_in: tokenTtlS });
    });
  };
}

/** Clients send UTF-8; Node hands a header's bytes over as latin1. */
function headerText(value: string | string[] | undefined): string {
  return Buffer.from([value].flat()[0] ?? '', 'latin1').toString('utf8');
}
