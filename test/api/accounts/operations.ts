import { Client } from '#test/fixtures/client.ts';
import type { Operations } from '#test/fixtures/operations.ts';

export const operations: Operations = {
  iniciarSesion: {
    route: 'POST /api/auth/login',
    permission: 'password',
    largest: () => ({ headers: { 'x-username': 'nadie', 'x-password': 'a'.repeat(72) } }),
  },
  cambiarContrasena: {
    route: 'POST /api/auth/password',
    permission: 'password',
    largest: () => ({ body: { Actual: 'a'.repeat(72), Nueva: 'b' } }),
  },
  validarToken: { route: 'GET /api/auth/validate', permission: 'any' },
  cerrarSesion: {
    route: 'POST /api/auth/logout',
    permission: 'any',
    largest: async ({ url }) => ({ by: await Client.login(url, 'lectura') }),
  },
  listarPermisos: { route: 'GET /api/apipermissions/my-permissions', permission: 'any' },
};
