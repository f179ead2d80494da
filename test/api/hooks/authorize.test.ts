import { describe, expect } from 'vitest';
import { hashPassword } from '#shared/auth/passwords.ts';
import { PERMISSIONS, type Permission, UserStore } from '#shared/auth/user-store.ts';
import { Client, call } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/** Every operation that demands a token, with the one permission that it takes; `any` takes none. */
const OPERATIONS: [method: string, path: string, permission: Permission | 'any'][] = [
  ['GET', '/api/auth/validate', 'any'],
  ['POST', '/api/auth/logout', 'any'],
  ['GET', '/api/apipermissions/my-permissions', 'any'],
  ['GET', '/api/sucursales', 'guias.read'],
  ['GET', '/api/sucursales/destinos', 'guias.read'],
  ['GET', '/api/sucursales/origenes', 'guias.read'],
  ['GET', '/api/sucursales/cobertura/{cp}', 'guias.read'],
  ['GET', '/api/guias', 'guias.read'],
  ['POST', '/api/eventos', 'eventos.create'],
  ['GET', '/api/eventos', 'guias.read'],
  ['GET', '/api/guias/{guia}/eventos', 'guias.read'],
  ['POST', '/api/guias/crear', 'guias.create'],
  ['POST', '/api/guias/cotizar', 'guias.quote'],
  ['POST', '/api/guias/validar', 'guias.create'],
  ['GET', '/api/guias/validar-destino/{code}', 'guias.read'],
  ['GET', '/api/guias/{guia}', 'guias.read'],
  ['POST', '/api/guias/{guia}/cancelar', 'guias.cancel'],
  ['GET', '/api/guias/etiqueta/{guia}', 'guias.read'],
  ['GET', '/api/guias/etiqueta-10x15/{guia}', 'guias.read'],
  ['GET', '/api/guias/etiqueta-pequena/{guia}', 'guias.read'],
  ['POST', '/api/guias/etiquetas', 'guias.read'],
  ['POST', '/api/webhooks', 'webhooks.admin'],
  ['GET', '/api/webhooks', 'webhooks.admin'],
  ['POST', '/api/webhooks/{id}/probar', 'webhooks.admin'],
  ['POST', '/api/webhooks/{id}/secreto', 'webhooks.admin'],
  ['POST', '/api/webhooks/{id}/activar', 'webhooks.admin'],
  ['DELETE', '/api/webhooks/{id}', 'webhooks.admin'],
];
const PASSWORD = 'una clave larga';
const FORBIDDEN = [403, 'No tiene permiso para realizar esta accion'];

const test = services.extend('asUserWith', { scope: 'file' }, async ({ api, stores }) => {
  const users = new UserStore(stores.mongo);
  const passwordHash = await hashPassword(PASSWORD);
  /** Sends an empty request as a user with these permissions. @returns status and message. */
  return async (permissions: Permission[], method: string, path: string) => {
    const username = `con-${permissions.join('-')}`;
    await users.create({
      username,
      account: username,
      passwordHash,
      permissions,
      originBranch: null,
      disabled: false,
    });
    const { token } = await Client.login(api.url, username, PASSWORD);
    const { status, body } = await call(api.url + path.replace(/\{\w+\}/, '1'), {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    return [status, body.message];
  };
});

describe('an operation', () => {
  test.for(OPERATIONS)('%s %s takes %s, and no other permission does', async (operation, { asUserWith }) => {
    const [method, path, permission] = operation;
    const needed = permission === 'any' ? [] : [permission];
    expect((await asUserWith(needed, method, path))[0]).not.toBe(403);
    if (permission === 'any') return;
    const others = PERMISSIONS.filter((one) => one !== permission);
    expect(await asUserWith(others, method, path)).toEqual(FORBIDDEN);
  });

  test('is in the table, or is the login, which takes no token', async ({ api }) => {
    const response = await fetch(`${api.url}/api/openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, object> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = OPERATIONS.map(([method, path]) => `${method} ${path}`);
    expect(documented.toSorted()).toEqual([...known, 'POST /api/auth/login'].toSorted());
  });

  test.for(OPERATIONS)('%s %s without a token is refused', async ([method, path], { api }) => {
    const { status, body } = await call(api.url + path.replace(/\{\w+\}/, '1'), { method });
    expect([status, body.message]).toEqual([401, 'Acceso denegado']);
  });
});
