import { describe, expect } from 'vitest';
import { UserStore } from '#shared/accounts/user-store.ts';
import { PERMISSIONS, type Permission } from '#shared/rooms.ts';
import { Client, call } from '#test/fixtures/client.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { allOperations } from '#test/fixtures/operations.ts';
import { test as services } from '#test/fixtures/services.ts';

const operations = Object.entries(await allOperations()).map(([operationId, { route, permission }]) => {
  const [method = '', path = ''] = route.split(' ');
  return { method, path, permission, operationId };
});
/** Those that demand a token. */
const guarded = operations.flatMap(({ permission, ...operation }) =>
  permission === 'password' ? [] : [{ ...operation, permission }],
);
const PASSWORD = 'una clave larga';
const FORBIDDEN = [403, 'sin_permiso'];

const test = services.extend('asUserWith', { scope: 'file' }, async ({ api, stores }) => {
  const newUser = await userMaker(new UserStore(stores.mongo), PASSWORD);
  /** Sends an empty request as a user with these permissions. @returns status and code. */
  return async (permissions: Permission[], method: string, path: string) => {
    const username = `con-${permissions.join('-')}`;
    // `simular` is for test accounts alone.
    await newUser(username, { permissions, test: true });
    const { token } = await Client.login(api.url, username, PASSWORD);
    const { status, body } = await call(api.url + path.replace(/\{\w+\}/, '1'), {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    return [status, body.codigo];
  };
});

describe('an operation', () => {
  test.for(guarded)(
    '$method $path takes $permission, and no other permission does',
    async (operation, { asUserWith }) => {
      const { method, path, permission } = operation;
      const needed = permission === 'any' ? [] : [permission];
      expect((await asUserWith(needed, method, path))[0]).not.toBe(403);
      if (permission === 'any') return;
      const others = PERMISSIONS.filter((one) => one !== permission);
      expect(await asUserWith(others, method, path)).toEqual(FORBIDDEN);
    },
  );

  test('is known to its room by its name and route', async ({ api }) => {
    const response = await fetch(`${api.url}/api/openapi.json`);
    const { paths } = (await response.json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [method.toUpperCase(), path, operationId]),
    );
    const known = operations.map(({ method, path, operationId }) => [method, path, operationId]);
    expect(documented.toSorted()).toEqual(known.toSorted());
  });

  test.for(guarded)('$method $path without a token is refused', async ({ method, path }, { api }) => {
    const { status, body } = await call(api.url + path.replace(/\{\w+\}/, '1'), { method });
    expect([status, body.codigo]).toEqual([401, 'acceso_denegado']);
  });
});
