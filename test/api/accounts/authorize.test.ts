import { describe, expect } from 'vitest';
import { PERMISSIONS, type Permission, UserStore } from '#shared/accounts/user-store.ts';
import { Client, call } from '#test/fixtures/client.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { test as services } from '#test/fixtures/services.ts';

/** Every operation that demands a token, the one permission that it takes (`any` takes none), and its name to clients. */
const OPERATIONS: [method: string, path: string, permission: Permission | 'any', operationId: string][] = [
  ['GET', '/api/auth/validate', 'any', 'validarToken'],
  ['POST', '/api/auth/logout', 'any', 'cerrarSesion'],
  ['GET', '/api/apipermissions/my-permissions', 'any', 'listarPermisos'],
  ['GET', '/api/sucursales', 'guias.read', 'listarSucursales'],
  ['GET', '/api/sucursales/destinos', 'guias.read', 'listarDestinos'],
  ['GET', '/api/sucursales/origenes', 'guias.read', 'listarOrigenes'],
  ['GET', '/api/codigos-postales/{cp}', 'guias.read', 'consultarCodigoPostal'],
  ['GET', '/api/sucursales/cobertura', 'guias.read', 'listarCobertura'],
  ['GET', '/api/sucursales/cobertura/{cp}', 'guias.read', 'consultarCobertura'],
  ['GET', '/api/guias', 'guias.read', 'listarGuias'],
  ['POST', '/api/eventos', 'eventos.create', 'registrarEventos'],
  ['GET', '/api/eventos', 'guias.read', 'listarEventos'],
  ['GET', '/api/guias/{guia}/eventos', 'guias.read', 'listarEventosDeGuia'],
  ['POST', '/api/guias/crear', 'guias.create', 'crearGuias'],
  ['POST', '/api/guias/cotizar', 'guias.quote', 'cotizarGuias'],
  ['POST', '/api/guias/validar', 'guias.create', 'validarGuias'],
  ['GET', '/api/guias/validar-destino/{code}', 'guias.read', 'validarDestino'],
  ['GET', '/api/guias/{guia}', 'guias.read', 'obtenerGuia'],
  ['POST', '/api/guias/{guia}/cancelar', 'guias.cancel', 'cancelarGuia'],
  ['POST', '/api/guias/{guia}/simular', 'guias.create', 'simularEventos'],
  ['GET', '/api/guias/etiqueta/{guia}', 'guias.read', 'obtenerEtiqueta'],
  ['GET', '/api/guias/etiqueta-10x15/{guia}', 'guias.read', 'obtenerEtiqueta10x15'],
  ['GET', '/api/guias/etiqueta-pequena/{guia}', 'guias.read', 'obtenerEtiquetaPequena'],
  ['POST', '/api/guias/etiquetas', 'guias.read', 'imprimirEtiquetas'],
  ['POST', '/api/manifiestos', 'guias.create', 'crearManifiesto'],
  ['GET', '/api/manifiestos', 'guias.read', 'listarManifiestos'],
  ['GET', '/api/manifiestos/{manifiesto}', 'guias.read', 'obtenerManifiesto'],
  ['GET', '/api/manifiestos/{manifiesto}/pdf', 'guias.read', 'imprimirManifiesto'],
  ['POST', '/api/llaves', 'any', 'crearLlave'],
  ['GET', '/api/llaves', 'any', 'listarLlaves'],
  ['DELETE', '/api/llaves/{id}', 'any', 'terminarLlave'],
  ['POST', '/api/webhooks', 'webhooks.admin', 'crearWebhook'],
  ['GET', '/api/webhooks', 'webhooks.admin', 'listarWebhooks'],
  ['GET', '/api/webhooks/{id}', 'webhooks.admin', 'consultarWebhook'],
  ['PATCH', '/api/webhooks/{id}', 'webhooks.admin', 'cambiarWebhook'],
  ['POST', '/api/webhooks/{id}/probar', 'webhooks.admin', 'probarWebhook'],
  ['POST', '/api/webhooks/{id}/secreto', 'webhooks.admin', 'cambiarSecretoDeWebhook'],
  ['POST', '/api/webhooks/{id}/activar', 'webhooks.admin', 'activarWebhook'],
  ['DELETE', '/api/webhooks/{id}', 'webhooks.admin', 'eliminarWebhook'],
];
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
  test.for(OPERATIONS)('%s %s takes %s, and no other permission does', async (operation, { asUserWith }) => {
    const [method, path, permission] = operation;
    const needed = permission === 'any' ? [] : [permission];
    expect((await asUserWith(needed, method, path))[0]).not.toBe(403);
    if (permission === 'any') return;
    const others = PERMISSIONS.filter((one) => one !== permission);
    expect(await asUserWith(others, method, path)).toEqual(FORBIDDEN);
  });

  test('is in the table by its name, or takes a password and no token', async ({ api }) => {
    const response = await fetch(`${api.url}/api/openapi.json`);
    const { paths } = (await response.json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [method.toUpperCase(), path, operationId]),
    );
    const known = OPERATIONS.map(([method, path, , operationId]) => [method, path, operationId]);
    const byPassword = [
      ['POST', '/api/auth/login', 'iniciarSesion'],
      ['POST', '/api/auth/password', 'cambiarContrasena'],
    ];
    expect(documented.toSorted()).toEqual([...known, ...byPassword].toSorted());
  });

  test.for(OPERATIONS)('%s %s without a token is refused', async ([method, path], { api }) => {
    const { status, body } = await call(api.url + path.replace(/\{\w+\}/, '1'), { method });
    expect([status, body.codigo]).toEqual([401, 'acceso_denegado']);
  });
});
