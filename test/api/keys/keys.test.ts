import { describe, expect } from 'vitest';
import { run } from '#services/api/cli.ts';
import { digestOf, newKey } from '#services/api/keys/key.ts';
import { KEYS, KeyStore } from '#services/api/keys/key-store.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { type Answer, Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `/api/llaves`, and what a key may do (docs/contract.md "Keys"), each test as a user of its own. */

const PASSWORD = 'una contrasena de prueba 1';
const REFUSED = [401, 'acceso_denegado'];
const outcome = ({ status, body }: Answer) => [status, body.codigo];
type Made = { Id: string; Llave: string; [field: string]: unknown };

let users = 0;
const test = services
  .override('settings', { LOGIN_FAILURES_PER_ADDRESS: '20' })
  .extend('userStore', { scope: 'file' }, ({ stores }) => new UserStore(stores.mongo))
  .extend('makeUser', { scope: 'file' }, ({ userStore }) => userMaker(userStore, PASSWORD))
  .extend('username', async ({ makeUser }) => {
    const username = `llaves-${++users}`;
    await makeUser(username, { permissions: ['guias.create', 'guias.read'], originBranch: 'MEX01' });
    return username;
  })
  .extend('person', ({ api, username }) => Client.login(api.url, username, PASSWORD))
  /** Makes a key of the test's user. */
  .extend('make', ({ person }) => async (more: object = {}) => {
    const { status, body } = await person.post('/api/llaves', { Nombre: 'tienda', ...more });
    expect([status, body.message]).toEqual([200, expect.anything()]);
    return body.data as Made;
  })
  .extend(
    'withKey',
    { scope: 'file' },
    ({ api }) =>
      (key: string) =>
        new Client(api.url, key),
  )
  .extend(
    'admin',
    { scope: 'file' },
    ({ env }) =>
      (...args: string[]) =>
        runCommand(run, args, { env }),
  );

describe('a key', () => {
  test('acts as its user: creates, reads and prints nothing that the user may not', async ({
    make,
    person,
    username,
    withKey,
  }) => {
    const { Llave, ...shown } = await make();
    expect(shown).toEqual({
      ...{ Id: expect.any(String), Nombre: 'tienda', Inicio: Llave.slice(0, 12), Permisos: null },
      ...{ Creada: expect.any(String), Vence: null, UltimoUso: null },
    });
    const program = withKey(Llave);
    const [guide] = await program.created(minimalGuide());
    expect((await person.get(`/api/guias/${guide?.SEND_GUIA}`)).status).toBe(200);
    expect(outcome(await program.post(`/api/guias/${guide?.SEND_GUIA}/cancelar`, {}))).toEqual([
      403,
      'permiso_insuficiente',
    ]);
    const { body } = await program.get('/api/auth/validate');
    expect(body.data).toMatchObject({ usuario: username, cuenta: username, sucursal: 'MEX01', expira: null });
  });

  test('may do only what it names, of what its user may at the moment', async ({
    make,
    userStore,
    username,
    withKey,
  }) => {
    const { Llave } = await make({ Permisos: ['guias.read', 'guias.cancel'] });
    const permissions = async () =>
      (await withKey(Llave).get('/api/apipermissions/my-permissions')).body.data;
    expect(await permissions()).toEqual(['guias.read']);
    expect(outcome(await withKey(Llave).create([minimalGuide()]))).toEqual([403, 'permiso_insuficiente']);
    await userStore.grant(username, ['guias.cancel']);
    await expect.poll(permissions, { timeout: 10_000 }).toEqual(['guias.cancel', 'guias.read']);
  });

  test('makes, lists and ends no keys, and ends no session', async ({ make, withKey }) => {
    const { Id, Llave } = await make();
    const program = withKey(Llave);
    const headers = { authorization: `Bearer ${Llave}` };
    for (const answer of [
      await program.post('/api/llaves', { Nombre: 'otra' }),
      await program.get('/api/llaves'),
      await call(`${program.url}/api/llaves/${Id}`, { method: 'DELETE', headers }),
      await program.post('/api/auth/logout', {}),
    ]) {
      expect(outcome(answer)).toEqual([403, 'requiere_token']);
    }
    expect((await program.get('/api/auth/validate')).status).toBe(200);
  });

  test('is stored as a digest, and nobody gets its text again', async ({
    make,
    person,
    stores,
    username,
  }) => {
    const { Llave } = await make();
    const stored = await modelOf(stores.mongo, KEYS).find({ username }).sort({ _id: 1 }).lean();
    expect(stored).toMatchObject([{ digest: digestOf(Llave) }]);
    const answers = [stored, (await person.get('/api/llaves')).body];
    expect(JSON.stringify(answers)).not.toContain(Llave.slice(13));
  });

  test('tells the day of its last use', async ({ make, person, withKey }) => {
    const { Llave } = await make();
    await withKey(Llave).get('/api/auth/validate');
    const day = async () => ((await person.get('/api/llaves')).body.data as Made[])[0]?.UltimoUso;
    await expect.poll(day).toMatch(/^\d{4}-\d\d-\d\d$/);
  });
});

describe('a request for a key', () => {
  test.for([
    [{}, 'Nombre', 'campo_requerido'],
    [{ Nombre: 'x'.repeat(61) }, 'Nombre', 'campo_largo'],
    [{ Nombre: 'a\u0007' }, 'Nombre', 'campo_formato'],
    [{ Permisos: ['guias.borrar'] }, 'Permisos.0', 'campo_formato'],
    [{ Vence: '2027-01-01' }, 'Vence', 'campo_formato'],
    [{ Vence: '2020-01-01T00:00:00Z' }, 'Vence', 'campo_formato'],
    [{ Llave: 'gk_live_' }, 'Llave', 'campo_desconocido'],
  ] as const)('is refused: %j', async ([body, campo, codigo], { person }) => {
    const sent = 'Nombre' in body || Object.keys(body).length === 0 ? body : { Nombre: 'tienda', ...body };
    const answer = await person.post('/api/llaves', sent);
    expect([answer.status, answer.body.details]).toEqual([400, [expect.objectContaining({ campo, codigo })]]);
  });

  test('eleven at once make ten', async ({ person }) => {
    const answers = await Promise.all(
      Array.from({ length: 11 }, (_, i) => person.post('/api/llaves', { Nombre: `llave ${i}` })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(outcome)).toEqual([[409, 'llaves_excedidas']]);
    expect((await person.get('/api/llaves')).body.data).toHaveLength(10);
  });
});

describe('a key ends', () => {
  const ended = (client: Client) =>
    expect
      .poll(async () => outcome(await client.get('/api/auth/validate')), { timeout: 10_000 })
      .toEqual(REFUSED);

  test('on every process within ten seconds', async ({ make, person, startApi }) => {
    const { Id, Llave } = await make();
    const [here, there] = [new Client(person.url, Llave), new Client((await startApi()).url, Llave)];
    for (const client of [here, there]) expect((await client.get('/api/auth/validate')).status).toBe(200);
    const headers = { authorization: `Bearer ${person.token}` };
    const end = () => call(`${person.url}/api/llaves/${Id}`, { method: 'DELETE', headers });
    expect((await end()).status).toBe(200);
    expect(outcome(await here.get('/api/auth/validate'))).toEqual(REFUSED);
    await ended(there);
    expect(outcome(await end())).toEqual([404, 'llave_no_encontrada']);
  });

  test('by its own date', async ({ make, withKey }) => {
    const { Llave } = await make({ Vence: new Date(Date.now() + 2_000).toISOString() });
    expect((await withKey(Llave).get('/api/auth/validate')).status).toBe(200);
    await ended(withKey(Llave));
  });

  test.for([['disable'], ['revoke'], ['remove']])(
    'when an operator says %s, for ever',
    { timeout: 60_000 },
    async ([command = ''], { admin, make, stores, username, withKey }) => {
      const { Llave } = await make();
      expect((await withKey(Llave).get('/api/auth/validate')).status).toBe(200);
      expect((await admin(command, username)).code).toBe(0);
      await ended(withKey(Llave));
      if (command === 'disable') await admin('enable', username);
      expect(await new KeyStore(stores.mongo).list(username)).toEqual([]);
    },
  );

  test('not of another user', async ({ demo, make, withKey }) => {
    const { Id, Llave } = await make();
    const headers = { authorization: `Bearer ${demo.token}` };
    const answer = await call(`${demo.url}/api/llaves/${Id}`, { method: 'DELETE', headers });
    expect(outcome(answer)).toEqual([404, 'llave_no_encontrada']);
    expect((await withKey(Llave).get('/api/auth/validate')).status).toBe(200);
  });
});

describe('wrong keys', () => {
  test('altered in any place are refused', async ({ make, withKey }) => {
    const { Llave } = await make();
    for (const wrong of [
      newKey(false),
      Llave.toUpperCase(),
      Llave.slice(0, -1),
      `${Llave}a`,
      Llave.replace('live', 'test'),
    ]) {
      expect(outcome(await withKey(wrong).get('/api/auth/validate'))).toEqual(REFUSED);
    }
  });

  test('are counted as failed logins of their address, and a right one beside them goes on', async ({
    make,
    startApi,
    withKey,
  }) => {
    const { url } = await startApi();
    const { Llave } = await make();
    expect((await new Client(url, Llave).get('/api/auth/validate')).status).toBe(200);
    const statuses = new Set<number>();
    for (let i = 0; i < 40; i++)
      statuses.add((await new Client(url, newKey(false)).get('/api/auth/validate')).status);
    expect([...statuses]).toEqual([401, 429]);
    for (const right of [new Client(url, Llave), withKey(Llave)]) {
      expect((await right.get('/api/auth/validate')).status).toBe(200);
    }
  });
});

describe('an operator', () => {
  test('makes the first key, sees it, and ends it', async ({ admin, username, withKey }) => {
    const made = await admin('keys', 'create', username, 'tienda');
    const [, Llave = ''] = /\n(gk_live_\S+)/.exec(made.out) ?? [];
    expect((await withKey(Llave).get('/api/auth/validate')).status).toBe(200);
    const { out } = await admin('keys', 'list', username);
    expect(out).toContain(Llave.slice(0, 12));
    expect(out).not.toContain(Llave);
    const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(out) ?? [];
    expect((await admin('keys', 'end', username, id)).code).toBe(0);
    expect((await admin('keys', 'list', username)).out).toContain('no tiene llaves');
  });
});
