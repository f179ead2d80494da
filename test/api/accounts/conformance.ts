import { call } from '#test/fixtures/client.ts';
import { type Api, type Conformance, create, ended, get, no, ONE, text } from '#test/fixtures/conformance.ts';

const login = (name: string, password: string) => (api: Api) =>
  api.login({ 'x-username': name, 'x-password': password });
const now = Math.floor(Date.now() / 1000);
const hour = { iss: 'shipping-guides', iat: now, exp: now + 3_600 };
/** Validates a token of ours with these claims. */
const validated = (claims: object) => (api: Api) =>
  api.withToken({ ...hour, ...claims }).get('/api/auth/validate');

export const conformance: Conformance = {
  sections: {
    'Messages and statuses': [
      ['login without credentials', ({ login }) => login({}), no('login_headers_faltan')],
      ['login with a wrong password', login('demo', 'otra1234'), no('credenciales_incorrectas')],
      ['login of an unknown user', login('nadie', 'demo1234'), no('credenciales_incorrectas')],
      ['an expired token', validated({ sub: 'demo', iat: now - 9, exp: now - 1 }), no('token_expirado')],
      ['no token', ({ url }) => call(`${url}/api/sucursales`), no('acceso_denegado')],
      ['a token that is none', ({ anonymous }) => anonymous.get('/api/sucursales'), no('acceso_denegado')],
      ['a token of an unknown user', validated({ sub: 'nadie' }), no('acceso_denegado')],
      ['guias.create is missing', create(ONE, 'lectura'), no('sin_permiso')],
    ],
    Authentication: [
      [
        'a token is ended',
        ({ withToken }) =>
          withToken({ ...hour, sub: 'demo', gen: 0, jti: 'una' }).post('/api/auth/logout', ''),
        { message: 'Sesion cerrada', data: null },
      ],
      [
        'login',
        login('demo', 'demo1234'),
        { message: 'Login exitoso', data: { access_token: text, token_type: 'Bearer', expires_in: 3600 } },
      ],
      [
        'validate',
        get('/api/auth/validate', 'sinorigen'),
        { data: { usuario: 'sinorigen', cuenta: 'sinorigen', sucursal: null, expira: ended } },
      ],
      [
        'validate, of a user in the account of another',
        get('/api/auth/validate', 'demo2'),
        { data: { usuario: 'demo2', cuenta: 'demo', sucursal: 'MEX01', expira: ended } },
      ],
      [
        'my-permissions, sorted',
        get('/api/apipermissions/my-permissions', 'operaciones'),
        { data: ['colas.admin', 'guias.read', 'guias.read.all', 'recolecciones.admin'] },
      ],
    ],
  },
  refusals: {
    login_headers_faltan: [400, 'Se requieren los headers X-Username y X-Password'],
    credenciales_incorrectas: [401, 'Usuario o contrasena incorrectos'],
    requiere_token: [403, 'Entre con usuario y contrasena: esto no se hace con una llave'],
  },
  elsewhere: {
    contrasena_temporal: 'test/api/accounts/password.test.ts',
    contrasena_temporal_vencida: 'test/api/accounts/password.test.ts',
    contrasena_reemplazada: 'test/api/accounts/password.test.ts',
    demasiados_intentos: 'test/api/accounts/login-limit.test.ts',
  },
};
