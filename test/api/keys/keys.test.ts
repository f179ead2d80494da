import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { COLLECTIONS } from '#local/access/mongo-roles.ts';
import { run } from '#services/api/cli.ts';
import { digestOf } from '#services/api/keys/key.ts';
import { KeyStore } from '#services/api/keys/key-store.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { KEYS } from '#shared/keys/key-model.ts';
import { PERMISSIONS } from '#shared/rooms.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { type Answer, Client, call, logIn, minimalGuide } from '#test/fixtures/client.ts';
import { startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `/api/llaves`, and what a key may do (docs/contract.md "Keys"), each test as a user of its own. */

const PASSWORD = 'una contrasena de prueba 1';
const REFUSED = [401, 'acceso_denegado'];
const outcome = ({ status, body }: Answer) => [status, body.codigo];
type Paths = {
  paths: Record<string, Record<string, { operationId: string; security?: object[]; 'x-permiso'?: string }>>;
};
type Made = { Id: string; Llave: string; [field: string]: unknown };

const DAY_MS = 24 * 3_600_000;
/** Returns the moment in so many years, and `moreMs`. */
function inYears(years: number, moreMs: number): string {
  const moment = new Date();
  moment.setUTCFullYear(moment.getUTCFullYear() + years);
  return new Date(moment.getTime() + moreMs).toISOString();
}

let users = 0;
const test = services
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
      'sin_permiso',
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
    expect(outcome(await withKey(Llave).create([minimalGuide()]))).toEqual([403, 'sin_permiso']);
    await userStore.grant(username, ['guias.cancel']);
    await expect.poll(permissions).toEqual(['guias.cancel', 'guias.read']);
  });

  test('gets in where the OpenAPI document says so, and where it has the permission', async ({
    api,
    makeUser,
  }) => {
    await makeUser('puede-todo', { permissions: [...PERMISSIONS] });
    const person = await Client.login(api.url, 'puede-todo', PASSWORD);
    const { body } = await person.post('/api/llaves', { Nombre: 'tienda', Permisos: ['guias.read'] });
    const headers = { authorization: `Bearer ${(body.data as Made).Llave}` };
    const { paths } = (await (await fetch(`${api.url}/api/openapi.json`)).json()) as Paths;
    const answered: [operationId: string, outcome: string][] = [];
    const documented: typeof answered = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { operationId, security = [], 'x-permiso': permission }] of Object.entries(
        methods,
      )) {
        if (security.length === 0) continue; // by password
        const url = api.url + path.replaceAll(/\{\w+\}/g, '1');
        const { codigo = '' } = (await call(url, { method: method.toUpperCase(), headers })).body;
        answered.push([operationId, ['requiere_token', 'sin_permiso'].includes(codigo) ? codigo : 'entra']);
        const entered = (permission ?? 'guias.read') === 'guias.read' ? 'entra' : 'sin_permiso';
        documented.push([operationId, security.some((each) => 'llave' in each) ? entered : 'requiere_token']);
      }
    }
    expect(answered).toEqual(documented);
    expect(new Set(answered.map(([, outcome]) => outcome)).size).toBe(3);
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

  test('neither logs in nor changes the password', async ({ make, username, withKey }) => {
    const { Llave } = await make();
    const program = withKey(Llave);
    const change = { ContrasenaNueva: 'tinta-monte-correo-7' };
    expect(outcome(await logIn(program.url, username, Llave))).toEqual([401, 'credenciales_incorrectas']);
    expect((await program.post('/api/auth/login', {})).status).toBe(400);
    expect((await program.post('/api/auth/password', change)).status).toBe(400);
    const asPassword = { 'x-username': username, 'x-password': Llave };
    expect((await program.post('/api/auth/password', change, asPassword)).status).toBe(401);
    expect((await logIn(program.url, username, PASSWORD)).status).toBe(200);
  });

  test('counts as the requests of its user', async ({ make, person, startApi, stores, username }) => {
    const { Llave } = await make();
    // One request comes back in 100 s: none while the test runs.
    const limits = { requestsPerSecond: 0.01, requestsBurst: 4 };
    await stores.mongo.collection<{ _id: string }>('accounts').insertOne({ _id: username, ...limits });
    const { url } = await startApi();
    const [byKey, byToken] = [new Client(url, Llave), new Client(url, person.token)];
    const left: (string | undefined)[] = [];
    for (const client of [byKey, byToken, byKey, byToken]) {
      const { headers } = await client.get('/api/auth/validate');
      left.push(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    }
    expect(left).toEqual(['3', '2', '1', '0']);
    expect(outcome(await byKey.get('/api/auth/validate'))).toEqual([429, 'cuota_excedida']);
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

  test('leaves its text neither in MongoDB and Redis nor in metrics', async ({
    api,
    make,
    person,
    stores,
    username,
    withKey,
  }) => {
    const { Id, Llave } = await make();
    const program = withKey(Llave);
    expect((await program.created(minimalGuide()))[0]).toHaveProperty('SEND_GUIA');
    const headers = { authorization: `Bearer ${person.token}` };
    await call(`${person.url}/api/llaves/${Id}`, { method: 'DELETE', headers });
    expect(outcome(await program.get('/api/auth/validate'))).toEqual(REFUSED);
    const trail = () => new AuditStore(stores.mongo).find({ user: username }, 10);
    await expect
      .poll(async () =>
        (await trail()).map(({ action, subject, details }) => [action, subject, details?.key]),
      )
      .toEqual([
        ['key.end', username, Id],
        ['key.create', username, Id],
        ['login', undefined, undefined],
      ]);

    const secret = Llave.slice('gk_live_'.length + 4);
    for (const { name } of COLLECTIONS) {
      const documents = await stores.mongo.collection(name).find().toArray();
      expect([name, JSON.stringify(documents).includes(secret)]).toEqual([name, false]);
    }
    for (const key of await stores.redis.keys('*')) expect(key).not.toContain(secret);
    const metrics = await api.server.metrics.metrics();
    expect(metrics).toContain('login_failures_total{reason="wrong"}');
    expect(metrics).not.toContain(secret);
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
    [{ Nombre: 'a\u202e' }, 'Nombre', 'campo_formato'],
    [{ Nombre: ' \u200b ' }, 'Nombre', 'campo_requerido'],
    [{ Nombre: 7 }, 'Nombre', 'campo_tipo'],
    [{ Permisos: ['guias.borrar'] }, 'Permisos.0', 'campo_formato'],
    [{ Permisos: 'guias.read' }, 'Permisos', 'campo_tipo'],
    // A program that lost its list would get a key that may do all.
    [{ Permisos: [] }, 'Permisos', 'campo_formato'],
    [{ Permisos: '' }, 'Permisos', 'campo_formato'],
    [{ Permisos: ' ' }, 'Permisos', 'campo_formato'],
    [{ Permisos: null }, 'Permisos', 'campo_formato'],
    [{ Vence: '' }, 'Vence', 'campo_formato'],
    [{ Vence: null }, 'Vence', 'campo_formato'],
    [{ Vence: inYears(10, DAY_MS) }, 'Vence', 'campo_formato'],
    [{ Vence: '9999-12-31T23:59:59-12:00' }, 'Vence', 'campo_formato'],
    [{ Vence: '0001-01-01T00:00:00+14:00' }, 'Vence', 'campo_formato'],
    [{ Vence: '+010000-01-01T00:00:00Z' }, 'Vence', 'campo_formato'],
    [{ Vence: '2027-01-01' }, 'Vence', 'campo_formato'],
    [{ Vence: '2020-01-01' }, 'Vence', 'campo_formato'],
    [{ Vence: '2020-01-01T00:00:00Z' }, 'Vence', 'campo_formato'],
    [{ Vence: '2027-06-30T23:59:60Z' }, 'Vence', 'campo_formato'],
    [{ Vence: '2027-06-30T23:59:00+05' }, 'Vence', 'campo_formato'],
    [{ Llave: 'gk_live_' }, 'Llave', 'campo_desconocido'],
  ] as const)('is refused: %j', async ([body, campo, codigo], { demo }) => {
    const sent = 'Nombre' in body || Object.keys(body).length === 0 ? body : { Nombre: 'tienda', ...body };
    const answer = await demo.post('/api/llaves', sent);
    expect([answer.status, answer.body.details]).toEqual([400, [expect.objectContaining({ campo, codigo })]]);
  });

  test('may say an end up to ten years away', async ({ make }) => {
    const Vence = inYears(10, -DAY_MS);
    expect(await make({ Nombre: ' tienda ', Vence })).toMatchObject({ Nombre: 'tienda', Vence });
  });

  test('names all problems', async ({ demo }) => {
    const { body } = await demo.post('/api/llaves', { Permisos: ['x'], Vence: '2020-01-01T00:00:00Z' });
    expect(body.details?.map(({ campo }) => campo)).toEqual(['Nombre', 'Permisos.0', 'Vence']);
  });

  test.for<[string, (users: UserStore, username: string, token: string) => Promise<unknown>]>([
    ['was ended by an operator', (users, username) => users.endTokens(username)],
    ['is of a user who was disabled', (users, username) => users.set(username, { disabled: true })],
    ['is of a user who was removed', (users, username) => users.remove(username)],
    [
      'was logged out elsewhere',
      (users, username, token) => {
        const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
        return users.revokeToken(username, { jti: claims.jti, until: new Date(claims.exp * 1_000) });
      },
    ],
  ])(
    'with a token that %s makes none, also before this process knows',
    async ([, end], { person, stores, username, userStore }) => {
      expect((await person.get('/api/auth/validate')).status).toBe(200);
      await end(userStore, username, person.token);
      // What was read of the user is good for five seconds.
      expect(outcome(await person.post('/api/llaves', { Nombre: 'ladron' }))).toEqual(REFUSED);
      expect(await new KeyStore(stores.mongo).list(username)).toEqual([]);
    },
  );

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
  /** Each process knows ten seconds later. */
  const ended = async (client: Client) => {
    passTime(10_000);
    expect(outcome(await client.get('/api/auth/validate'))).toEqual(REFUSED);
  };

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

  test('by its own date', async ({ make, stores, username, withKey }) => {
    const { Llave } = await make({ Vence: inYears(1, 0) });
    expect((await withKey(Llave).get('/api/auth/validate')).status).toBe(200);
    await modelOf(stores.mongo, KEYS).updateOne({ username }, { expiresAt: new Date(0) });
    await ended(withKey(Llave));
  });

  // Up to 1.8.0 it could be made: the list was 500 for ever, and none of the user's keys could be ended.
  test('also if its date is in the year 10000', async ({ make, person, stores, username, withKey }) => {
    const { Llave } = await make();
    const expiresAt = new Date('9999-12-31T23:59:59-12:00');
    await modelOf(stores.mongo, KEYS).updateOne({ username }, { expiresAt });
    const last = '9999-12-31T23:59:59.999Z';
    expect((await withKey(Llave).get('/api/auth/validate')).body.data).toMatchObject({ expira: last });
    const [shown] = (await person.get('/api/llaves')).body.data as [Made];
    expect(shown.Vence).toBe(last);
    const headers = { authorization: `Bearer ${person.token}` };
    const url = `${person.url}/api/llaves/${shown.Id}`;
    expect((await call(url, { method: 'DELETE', headers })).status).toBe(200);
    expect(outcome(await withKey(Llave).get('/api/auth/validate'))).toEqual(REFUSED);
  });

  // Those of a removed user: test/api/accounts/commands/remove-command.test.ts.
  test.for([['disable'], ['revoke']])(
    'when an operator says %s, for ever',
    async ([command = ''], { admin, make, stores, username, withKey }) => {
      const { Llave } = await make();
      expect((await withKey(Llave).get('/api/auth/validate')).status).toBe(200);
      expect((await admin(command, username)).code).toBe(0);
      await ended(withKey(Llave));
      expect(await new KeyStore(stores.mongo).list(username)).toEqual([]);
      if (command === 'disable') await admin('enable', username);
      passTime(10_000);
      expect(outcome(await withKey(Llave).get('/api/auth/validate'))).toEqual(REFUSED);
    },
  );

  test('also when its user is disabled by a command that was interrupted', async ({
    admin,
    make,
    userStore,
    username,
    withKey,
  }) => {
    const { Llave } = await make();
    await userStore.set(username, { disabled: true });
    await ended(withKey(Llave));
    expect((await admin('enable', username)).code).toBe(0);
    passTime(10_000);
    expect(outcome(await withKey(Llave).get('/api/auth/validate'))).toEqual(REFUSED);
  });

  test('by its date, and goes on until then, also while MongoDB is away', async ({
    make,
    startApi,
    stores,
  }) => {
    const proxy = await startMongoProxy(stores.mongoUri, () => 'done');
    const { url } = await startApi({ MONGODB_URI: proxy.uri });
    const { Llave } = await make({ Vence: new Date(Date.now() + 10 * 60_000).toISOString() });
    const program = new Client(url, Llave);
    expect((await program.get('/api/auth/validate')).status).toBe(200);
    await proxy.close();
    // What was measured of the database's clock is no longer good then.
    passTime(9 * 60_000);
    expect((await program.get('/api/auth/validate')).status).toBe(200);
    passTime(60_000);
    expect((await program.get('/api/auth/validate')).status).not.toBe(200);
  });

  test('not of another user', async ({ demo, make, withKey }) => {
    const { Id, Llave } = await make();
    const headers = { authorization: `Bearer ${demo.token}` };
    const answer = await call(`${demo.url}/api/llaves/${Id}`, { method: 'DELETE', headers });
    expect(outcome(answer)).toEqual([404, 'llave_no_encontrada']);
    expect((await withKey(Llave).get('/api/auth/validate')).status).toBe(200);
  });
});

describe('an operator', () => {
  test('makes the first key, sees it, and ends it', async ({ admin, stores, username, withKey }) => {
    const made = await admin('keys', 'create', username, 'tienda');
    const [, Llave = ''] = /\n(gk_live_\S+)/.exec(made.out) ?? [];
    expect((await withKey(Llave).get('/api/auth/validate')).status).toBe(200);
    const { out } = await admin('keys', 'list', username);
    expect(out).toContain(Llave.slice(0, 12));
    expect(out).not.toContain(Llave);
    const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(out) ?? [];
    expect((await admin('keys', 'end', username, id)).code).toBe(0);
    expect((await admin('keys', 'list', username)).out).toContain('no tiene llaves');
    const trail = await new AuditStore(stores.mongo).find({ user: username }, 10);
    expect(trail.map(({ action, outcome, details }) => [action, outcome, details?.key])).toEqual([
      ['admin.keys.list', 'ok', undefined],
      ['admin.keys.end', 'ok', id],
      ['admin.keys.end', 'started', id],
      ['admin.keys.list', 'ok', undefined],
      ['admin.keys.create', 'ok', id],
      ['admin.keys.create', 'started', undefined],
    ]);
    expect(JSON.stringify(trail)).not.toContain(Llave.slice(13));
  });

  test.for([
    ['an unknown user', ['create', 'fantasma', 'tienda'], 1],
    ['a user who is disabled', ['create', 'inactiva', 'tienda'], 1],
    ['a name of 61 characters', ['create', 'demo', 'x'.repeat(61)], 2],
    ['a name that would rearrange a terminal', ['create', 'demo', 'a\u202eb'], 2],
    ['the key of another user', ['end', 'demo', randomUUID()], 1],
    ['no command', [], 2],
  ] as const)('is refused: %s', async ([, args, code], { admin, stores }) => {
    await stores.mongo
      .collection<{ _id: string }>('users')
      .updateOne({ _id: 'inactiva' }, { $set: { disabled: true } });
    const refused = await admin('keys', ...args);
    expect([refused.code, refused.out]).toEqual([code, '']);
  });
});
