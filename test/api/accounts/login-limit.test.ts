import { createHash, randomBytes } from 'node:crypto';
import { describe, expect } from 'vitest';
import { hashPassword } from '#shared/accounts/passwords.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { addressGroup } from '#shared/stores/counting-limiter.ts';
import { Client, logIn } from '#test/fixtures/client.ts';
import { JWT_SECRET, test as services } from '#test/fixtures/services.ts';

const test = services
  .extend('settings', { LOGIN_FAILURES_PER_ADDRESS: '20', TRUST_PROXY: '127.0.0.1' })
  .extend('second', { scope: 'file' }, ({ startApi }) => startApi())
  .extend(
    'login',
    { scope: 'file' },
    ({ api }) =>
      (username: string, password: string, from = '203.0.113.1', url = api.url) =>
        logIn(url, username, password, from),
  );

describe('failed logins', () => {
  test('of a user from one address are limited by all processes', async ({ api, login, second }) => {
    const urls = [api.url, second.url];
    for (let attempt = 0; attempt < 10; attempt++) {
      const { status } = await login('otro', 'mal', '203.0.113.2', urls[attempt % 2]);
      expect(status).toBe(401);
    }
    for (const url of urls) {
      const { status, headers, body } = await login('otro', 'demo1234', '203.0.113.2', url);
      expect(status).toBe(429);
      expect(body.codigo).toBe('demasiados_intentos');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(800);
    }
  });

  test('of a user from many addresses do not lock the user out', async ({ login }) => {
    for (let address = 0; address < 4; address++) {
      const wrong = Array.from({ length: 10 }, () => login('sinorigen', 'mal', `198.51.100.${address}`));
      for (const { status } of await Promise.all(wrong)) expect(status).toBe(401);
    }
    expect((await login('sinorigen', 'demo1234', '203.0.113.3')).status).toBe(200);
  });

  test('are limited also where the password is too long to be checked', async ({ login }) => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt++) {
      statuses.push((await login('otro', 'x'.repeat(257), '203.0.113.101')).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  test.for([
    ['2001:db8:1:1:5::5', '2001:db8:1:1::1', true],
    ['2001:db8:1:1::1', '2001:db8:1:2::1', false],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['192.0.2.1', '192.0.2.2', false],
  ] as const)('of %s and %s are counted together: %s', ([one, other, together]) => {
    expect(addressGroup(one) === addressGroup(other)).toBe(together);
  });

  test('leave no name in Redis', async ({ login, stores }) => {
    await login('un.nombre', 'mal', '203.0.113.7');
    const keys = await stores.redis.keys(`${stores.prefix}:login-*`);
    const expected = createHash('sha256').update('un.nombre\n203.0.113.7').digest('base64url');
    expect(keys.some((key) => key.endsWith(expected))).toBe(true);
    expect(keys.join()).not.toContain('nombre');
  });
});

test('credentials are UTF-8, or else Latin-1', async ({ login, stores }) => {
  const passwordHash = await hashPassword('contraseña-日本');
  const users = new UserStore(stores.mongo);
  await users.create({
    username: 'muñoz',
    account: 'muñoz',
    passwordHash,
    permissions: [],
    originBranch: null,
    disabled: false,
  });
  const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  expect((await login(bytes('muñoz'), bytes('contraseña-日本'), '203.0.113.8')).status).toBe(200);
  expect((await login('muñoz', bytes('contraseña-日本'), '203.0.113.8')).status).toBe(200);
  expect((await login(bytes('muñoz'), bytes('contrasena-日本'), '203.0.113.8')).status).toBe(401);
});

test('the secret of the tokens can be replaced without logging anyone out', async ({
  api,
  startApi,
  stores,
}) => {
  const NEXT_SECRET = randomBytes(32).toString('hex');
  const before = await Client.login(api.url);
  const next = await startApi({ JWT_SECRET: NEXT_SECRET, JWT_SECRET_PREVIOUS: JWT_SECRET });
  // Where those with the former secret have gone. Beside them it does not get ready.
  const alone = stores.prefix.replace('}', '-after}');
  const after = await startApi({ JWT_SECRET: NEXT_SECRET, REDIS_PREFIX: alone });
  expect((await new Client(next.url, before.token).get('/api/auth/validate')).status).toBe(200);
  const renewed = await Client.login(next.url);
  expect((await renewed.get('/api/auth/validate')).status).toBe(200);
  expect((await new Client(after.url, renewed.token).get('/api/auth/validate')).status).toBe(200);
  expect((await new Client(after.url, before.token).get('/api/auth/validate')).status).toBe(401);
});
