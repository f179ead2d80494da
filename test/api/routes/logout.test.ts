import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { hashPassword } from '#shared/auth/passwords.ts';
import { UserStore } from '#shared/auth/user-store.ts';
import { Client } from '#test/fixtures/client.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

/** Within which an end of a token is in force on every process, in ms (docs/contract.md "Authentication"). */
const IN_FORCE = 10_000;
const PASSWORD = 'una clave larga';

type UserDocument = { _id: string; tokenGeneration?: number; revokedTokens?: { jti: string; until: Date }[] };

const test = services
  .extend('second', { scope: 'file' }, ({ startApi }) => startApi())
  .extend('users', { scope: 'file' }, ({ stores }) => new UserStore(stores.mongo))
  .extend('documents', { scope: 'file' }, ({ stores }) => stores.mongo.collection<UserDocument>('users'))
  /** Creates a user. @returns what logs this user in. */
  .extend('newUser', { scope: 'file' }, async ({ api, users }) => {
    const passwordHash = await hashPassword(PASSWORD);
    return async (username: string) => {
      const user = { username, account: username, passwordHash, permissions: [], originBranch: null };
      await users.create({ ...user, disabled: false });
      return (password = PASSWORD) => Client.login(api.url, username, password);
    };
  });

const validate = async (client: Client, url = client.url) => {
  const { status, body } = await new Client(url, client.token).get('/api/auth/validate');
  return [status, body.message];
};
const GOOD = [200, 'Token valido'];
const ENDED = [401, 'Acceso denegado'];

describe('POST /api/auth/logout', () => {
  test('ends the token on every process, and no other token', async ({ newUser, second, startApi }) => {
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
  });

  test('needs a token', async ({ api }) => {
    const { status, body } = await new Client(api.url, '').post('/api/auth/logout', '');
    expect([status, body.message]).toEqual(ENDED);
  });
});

describe('the list of a user’s ended tokens', () => {
  const revoked = (until: number) =>
    Array.from({ length: 1_000 }, () => ({ jti: randomUUID(), until: new Date(Date.now() + until) }));

  test('forgets those that have expired', async ({ documents, newUser }) => {
    const login = await newUser('olvidos');
    await documents.updateOne({ _id: 'olvidos' }, { $set: { revokedTokens: revoked(-1_000) } });
    expect((await (await login()).post('/api/auth/logout', '')).status).toBe(200);
    expect((await documents.findOne({ _id: 'olvidos' }))?.revokedTokens).toHaveLength(1);
  });

  test('has a token once that is logged out many times at once', async ({ documents, newUser, users }) => {
    const login = await newUser('insistente');
    const other = await login();
    const others = revoked(600_000).slice(2); // two less than the bound
    await documents.updateOne({ _id: 'insistente' }, { $set: { revokedTokens: others } });
    const token = { jti: randomUUID(), until: new Date(Date.now() + 600_000) };
    await Promise.all(Array.from({ length: 5 }, () => users.revokeToken('insistente', token)));
    expect((await documents.findOne({ _id: 'insistente' }))?.revokedTokens).toHaveLength(999);
    expect(await validate(other)).toEqual(GOOD);
  });

  test('has a bound, beyond which all tokens of the user end', async ({ documents, newUser }) => {
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

describe('all tokens of a user', () => {
  test.for<[string, (users: UserStore, name: string) => Promise<unknown>, string?]>([
    [
      'a new password',
      async (users, name) => users.set(name, { passwordHash: await hashPassword('otra clave larga') }),
      'otra clave larga',
    ],
    [
      'disabling, also when the user is enabled again',
      async (users, name) => {
        await users.set(name, { disabled: true });
        await users.set(name, { disabled: false });
      },
    ],
    ['admin revoke', (users, name) => users.endTokens(name)],
  ])('end by %s', async ([what, change, password], { api, newUser, second, users }) => {
    const name = `fin-${what.split(' ')[1]}`;
    const login = await newUser(name);
    const before = [await login(), await login()];
    for (const client of before) expect(await validate(client, second.url)).toEqual(GOOD);
    await change(users, name);
    const after = await login(password); // in the same second, and on processes that still remember the user
    for (const { url } of [api, second]) expect(await validate(after, url)).toEqual(GOOD);
    passTime(IN_FORCE);
    for (const client of before) {
      for (const { url } of [api, second]) expect(await validate(client, url)).toEqual(ENDED);
    }
  });

  test('stay good when a permission changes', async ({ newUser, users }) => {
    const client = await (await newUser('permisos'))();
    await users.grant('permisos', ['guias.read']);
    await users.revoke('permisos', ['guias.read']);
    expect((await users.find('permisos'))?.tokenGeneration).toBe(0);
    expect(await validate(client)).toEqual(GOOD);
  });
});
