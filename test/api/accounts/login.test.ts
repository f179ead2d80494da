import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { describe, expect } from 'vitest';
import { hashPassword } from '#shared/accounts/passwords.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { Client, call, logIn } from '#test/fixtures/client.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

const PASSWORD = 'una clave larga';

const test = services.extend(
  'login',
  { scope: 'file' },
  ({ api }) =>
    (headers: Record<string, string>, body?: string) =>
      call(`${api.url}/api/auth/login`, { method: 'POST', headers, ...(body !== undefined && { body }) }),
);

describe('POST /api/auth/login', () => {
  test('returns a bearer token that is valid for an hour', async ({ login }) => {
    const { status, headers, body } = await login({ 'x-username': 'demo', 'x-password': 'demo1234' });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      response: 'OK',
      message: 'Login exitoso',
      data: { token_type: 'Bearer', expires_in: 3600 },
    });
    const [, claims = ''] = (body.data as { access_token: string }).access_token.split('.');
    const { iat, exp, ...rest } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect(rest).toEqual({ sub: 'demo', iss: 'shipping-guides', gen: 0, jti: expect.any(String) });
    expect(exp - iat).toBe(3600);
  });

  test('says with a refusal how to log in', async ({ login }) => {
    const { status, headers } = await login({ 'x-username': 'demo', 'x-password': 'demo12345' });
    expect([status, headers.get('cache-control')]).toEqual([401, 'no-store']);
    expect(headers.get('www-authenticate')).toBe('Login headers="X-Username X-Password"');
  });

  test.for(['', '{"a":'])('ignores the JSON body %j', async (body, { login }) => {
    const headers = { 'x-username': 'demo', 'x-password': 'demo1234', 'content-type': 'application/json' };
    expect((await login(headers, body)).status).toBe(200);
  });
});

describe('the hash of a right password', () => {
  const user = { permissions: [], originBranch: null, disabled: false, tokenGeneration: 0 };

  test.for([
    ['is replaced where its parameters are weaker than today’s', { memoryCost: 8_192, timeCost: 1 }, true],
    ['stays where they are not', undefined, false],
  ] as const)('%s', async ([what, weaker, replaced], { login, stores }) => {
    const username = what.split(' ')[1] as string;
    const before = weaker ? await hash(PASSWORD, weaker) : await hashPassword(PASSWORD);
    const users = new UserStore(stores.mongo);
    await users.create({ ...user, username, account: username, passwordHash: before });
    for (const _ of ['the first login', 'the next']) {
      expect((await login({ 'x-username': username, 'x-password': PASSWORD })).status).toBe(200);
    }
    const { passwordHash, tokenGeneration } = (await users.find(username)) ?? {};
    expect([passwordHash !== before, tokenGeneration]).toEqual([replaced, 0]);
    if (replaced) expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

test('without ALLOW_DEMO_USERS demo users and their tokens are refused', async ({ demo, startApi }) => {
  const { url } = await startApi({ ALLOW_DEMO_USERS: 'false' });
  const refused = await logIn(url, 'demo', 'demo1234');
  expect([refused.status, refused.body.codigo]).toEqual([401, 'credenciales_incorrectas']);
  const { status, body } = await new Client(url, demo.token).get('/api/auth/validate');
  expect([status, body.codigo]).toEqual([401, 'acceso_denegado']);
});

/** Within which an end of a token is in force on every process, in ms (docs/contract.md "Authentication"). */
const IN_FORCE = 10_000;

type UserDocument = { _id: string; tokenGeneration?: number; revokedTokens?: { jti: string; until: Date }[] };

const logoutTest = services
  .extend('second', { scope: 'file' }, ({ startApi }) => startApi())
  .extend('users', { scope: 'file' }, ({ stores }) => new UserStore(stores.mongo))
  .extend('documents', { scope: 'file' }, ({ stores }) => stores.mongo.collection<UserDocument>('users'))
  /** Creates a user. @returns what logs this user in. */
  .extend('newUser', { scope: 'file' }, async ({ api, users }) => {
    const create = await userMaker(users, PASSWORD);
    return async (username: string) => {
      await create(username, { tokenGeneration: 0 });
      return (password = PASSWORD) => Client.login(api.url, username, password);
    };
  });

const validate = async (client: Client, url = client.url) => {
  const { status, body } = await new Client(url, client.token).get('/api/auth/validate');
  return [status, body.codigo ?? body.message];
};
const GOOD = [200, 'Token valido'];
const ENDED = [401, 'acceso_denegado'];

logoutTest(
  'POST /api/auth/logout ends the token on every process, and no other token',
  async ({ newUser, second, startApi }) => {
    const login = await newUser('salida');
    const [client, other] = [await login(), await login()];
    expect(await validate(client, second.url)).toEqual(GOOD);
    const { status, body } = await client.post('/api/auth/logout', '');
    expect([status, body]).toEqual([200, { response: 'OK', message: 'Sesion cerrada', data: null }]);
    expect(await validate(client)).toEqual(ENDED);
    passTime(IN_FORCE);
    expect(await validate(client, second.url)).toEqual(ENDED);
    expect(await validate(client, (await startApi()).url)).toEqual(ENDED);
    for (const url of [client.url, second.url]) expect(await validate(other, url)).toEqual(GOOD);
    expect((await client.post('/api/auth/logout', '')).status).toBe(401);
  },
);

describe('the list of a user’s ended tokens', () => {
  const revoked = (until: number) =>
    Array.from({ length: 1_000 }, () => ({ jti: randomUUID(), until: new Date(Date.now() + until) }));

  logoutTest('has a bound, beyond which all tokens of the user end', async ({ documents, newUser }) => {
    const login = await newUser('incansable');
    await documents.updateOne({ _id: 'incansable' }, { $set: { revokedTokens: revoked(600_000) } });
    const [client, other] = [await login(), await login()];
    expect((await client.post('/api/auth/logout', '')).status).toBe(200);
    const { tokenGeneration, revokedTokens } = (await documents.findOne({ _id: 'incansable' })) ?? {};
    expect([tokenGeneration, revokedTokens]).toEqual([1, []]);
    expect([await validate(client), await validate(other), await validate(await login())]).toEqual([
      ENDED,
      ENDED,
      GOOD,
    ]);
  });
});
