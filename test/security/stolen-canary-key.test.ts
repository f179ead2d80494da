import { expect } from 'vitest';
import { ensureCanaryAccount } from '#services/api/canary/ensure-account.ts';
import { newKey } from '#services/api/keys/key.ts';
import { Client, logIn } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/** What somebody can do who has stolen what the canary shows to the api (docs/contract.md "Canary"). */

const PASSWORD = 'una contrasena de la guardia';
const WEBHOOK = 'http://127.0.0.1:1/webhook';
const GUIDE = {
  Remitente: { Nombre: 'Ana' },
  Destinatario: { Nombre: 'Luis', DestinoCode: 'MTY01' },
  Producto: { Contenido: 'Libros' },
  Creado_por: {},
};

const test = services
  .extend('key', { scope: 'file' }, async ({ stores }) => {
    const key = newKey(true);
    await ensureCanaryAccount(stores.mongo, { key, password: PASSWORD, cell: '', ways: 12 });
    return key;
  })
  .extend('thief', { scope: 'file' }, ({ api, key }) => new Client(api.url, key))
  /** Has the password that a canary only logs in with. */
  .extend('intruder', { scope: 'file' }, ({ api, key: _ }) =>
    Client.login(api.url, 'guardia-entrada', PASSWORD),
  )
  /** Returns the operations that answer a client 403, or those that answer anything else. */
  .extend('operations', { scope: 'file' }, ({ api }) => async (client: Client, areForbidden: boolean) => {
    const { paths } = (await (await fetch(`${api.url}/api/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { security?: unknown[] }>>;
    };
    const found: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [name, { security }] of Object.entries(methods)) {
        const method = name.toUpperCase();
        if (security?.length === 0 || path === '/api/auth/logout') continue;
        const url = `${api.url}${path.replaceAll(/\{\w+\}/g, 'x')}`;
        const { status } = await fetch(url, { method, headers: { authorization: `Bearer ${client.token}` } });
        if ((status === 403) === areForbidden) found.push(`${method} ${path}`);
      }
    }
    return found.toSorted();
  });

test('its key does what the canary does: no event of a carrier, no other key', async ({
  operations,
  thief,
}) => {
  expect(await operations(thief, true)).toEqual([
    'DELETE /api/llaves/{id}',
    'GET /api/avisos',
    'GET /api/cobros',
    'GET /api/liquidaciones',
    'GET /api/liquidaciones/{liquidacion}',
    'GET /api/llaves',
    'GET /api/recolecciones/del-dia',
    'GET /api/recolecciones/del-dia/csv',
    'GET /api/recolecciones/del-dia/pdf',
    'POST /api/eventos',
    'POST /api/llaves',
    'POST /api/recolecciones/estado',
    'PUT /api/avisos',
    'PUT /api/eventos/{guia}/{Id}/evidencia/{imagen}',
  ]);
});

test('its password opens nothing but keys, which open nothing', async ({ api, intruder, operations }) => {
  const OPEN = ['GET /api/apipermissions/my-permissions', 'GET /api/auth/validate'];
  expect(await operations(intruder, false)).toEqual([
    'DELETE /api/llaves/{id}',
    ...OPEN,
    'GET /api/llaves',
    'POST /api/llaves',
  ]);
  const made = await intruder.post('/api/llaves', { Nombre: 'otra' });
  const { Llave } = made.body.data as { Llave: string };
  expect(await operations(new Client(api.url, Llave), false)).toEqual(OPEN);
});

test('the command takes back what the thief did with the password', async ({
  api,
  intruder,
  key,
  stores,
}) => {
  const { body } = await intruder.post('/api/llaves', { Nombre: 'otra' });
  const change = await fetch(`${api.url}/api/auth/password`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-username': 'guardia-entrada',
      'x-password': PASSWORD,
    },
    body: JSON.stringify({ ContrasenaNueva: 'una contrasena del ladron' }),
  });
  expect(change.status).toBe(200);
  await ensureCanaryAccount(stores.mongo, { key, password: PASSWORD, cell: '', ways: 12 });
  const logsIn = async (password: string) => (await logIn(api.url, 'guardia-entrada', password)).status;
  expect([await logsIn('una contrasena del ladron'), await logsIn(PASSWORD)]).toEqual([401, 200]);
  const { Llave } = body.data as { Llave: string };
  expect((await new Client(api.url, Llave).get('/api/auth/validate')).status).toBe(401);
});

test('its limits are just above what the canary needs: 12 requests a second, 108 000 guides a day', async ({
  thief,
}) => {
  const { status, headers } = await thief.create([GUIDE], 'the service');
  expect([status, headers.get('ratelimit-policy')]).toEqual([
    200,
    '"solicitudes";q=240;w=20, "guias";q=108000;w=86400',
  ]);
});

test('it sees and changes nothing of another account', async ({ number, thief }) => {
  for (const path of ['', '/eventos'])
    expect((await thief.get(`/api/guias/${number}${path}`)).body.codigo).toBe('guia_no_encontrada');
  for (const path of ['etiqueta', 'etiqueta-pequena'])
    expect((await thief.get(`/api/guias/${path}/${number}`)).body.codigo).toBe('guia_no_encontrada');
  for (const path of ['cancelar', 'simular'])
    expect((await thief.post(`/api/guias/${number}/${path}`, '{"Escenario":"entrega"}')).status).toBe(404);
  const { body } = await thief.get('/api/guias');
  expect(JSON.stringify(body)).not.toContain(number);
});

test.for([
  'https://tienda.example/guias',
  'http://127.0.0.1:2/webhook',
  `${WEBHOOK}/otro`,
  'https://10.0.0.1/',
])('it makes no webhook that leads to %s', async (Url, { thief }) => {
  const { status, body } = await thief.post('/api/webhooks', { Url });
  expect([status, body.details?.map(({ campo }) => campo)]).toEqual([400, ['Url']]);
});

test('it has the webhook of the canary, and moves it nowhere else', async ({ thief }) => {
  const { body } = await thief.post('/api/webhooks', { Url: WEBHOOK });
  const { Id } = body.data as { Id: string };
  const moved = await thief.patch(`/api/webhooks/${Id}`, { Url: 'https://tienda.example/guias' });
  expect(moved.status).toBe(400);
});
