import { describe, expect } from 'vitest';
import { hashPassword } from '#shared/accounts/passwords.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { call } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

const from = (address: string) => ({ 'x-forwarded-for': address });

const test = services
  .extend('settings', { TRUST_PROXY: '127.0.0.1', LOGIN_FAILURES_PER_ADDRESS: '30' })
  .extend('users', { scope: 'file' }, ({ stores }) => new UserStore(stores.mongo))
  .extend(
    'createOperator',
    { scope: 'file' },
    ({ users }) =>
      async (username: string, password = 'demo1234') => {
        return users.create({
          username,
          account: username,
          passwordHash: await hashPassword(password),
          permissions: ['colas.admin'],
          originBranch: null,
          disabled: false,
        });
      },
  )
  .extend('sessionKeys', { scope: 'file' }, ({ stores }) => () => {
    return stores.redis.keys(`*${stores.prefix.slice(1, -1)}*:session:*`);
  });

describe('the login page', () => {
  test.for(['/', '/colas/queue/labels'])(
    'is where %s redirects without a session',
    async (path, { dashboard }) => {
      const { status, headers } = await new Visitor(dashboard.url).page(path);
      expect([status, headers.get('location')]).toEqual([303, '/entrar']);
    },
  );

  test('lets a user with colas.admin in, with a cookie that scripts cannot read', async ({ dashboard }) => {
    const visitor = new Visitor(dashboard.url);
    const { status, headers } = await visitor.login('operaciones');
    expect([status, headers.get('location')]).toEqual([303, '/']);
    expect(headers.getSetCookie()[0]).toMatch(
      /^sesion=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect((await visitor.page('/')).text).toContain('operaciones');
  });

  test('sets a cookie for HTTPS only, unless COOKIE_SECURE is false', async ({ startDashboard }) => {
    const secure = await startDashboard({ COOKIE_SECURE: 'true' });
    const visitor = new Visitor(secure.url);
    const { headers } = await visitor.login('operaciones');
    expect(headers.getSetCookie()[0]).toMatch(/^__Host-sesion=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect((await visitor.page('/')).status).toBe(200);
  });

  test.for([
    ['a wrong password', 'operaciones', 'mal', 401, 'Usuario o contraseña incorrectos'],
    ['no password', 'operaciones', '', 400, 'Escriba su usuario y su contraseña'],
    ['a user without colas.admin', 'demo', 'demo1234', 403, 'Su usuario no tiene el permiso colas.admin'],
  ] as const)('refuses %s, and says why', async ([_, username, password, status, message], { dashboard }) => {
    const visitor = new Visitor(dashboard.url);
    const answer = await visitor.login(username, password, from('203.0.113.1'));
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(message);
    expect(answer.text).toContain('name="contrasena"');
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('says what to do with a one-time password', async ({ createOperator, dashboard, users }) => {
    await createOperator('nuevo');
    await users.set('nuevo', {
      passwordHash: await hashPassword('demo1234'),
      oneTimeUntil: new Date(Date.now() + 60_000),
    });
    const answer = await new Visitor(dashboard.url).login('nuevo', 'demo1234', from('203.0.113.11'));
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(
      'Su contraseña es temporal: cámbiela primero en la API, con POST /api/auth/password',
    );
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('refuses the right password after ten failures', async ({ createOperator, dashboard }) => {
    await createOperator('adivinado');
    const visitor = new Visitor(dashboard.url);
    for (let attempt = 0; attempt < 10; attempt++) {
      expect((await visitor.login('adivinado', 'mal', from('203.0.113.2'))).status).toBe(401);
    }
    const answer = await visitor.login('adivinado', 'demo1234', from('203.0.113.2'));
    expect(answer.status).toBe(429);
    expect(answer.text).toContain('Demasiados intentos: espere 15 min');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(800);
    expect((await visitor.login('adivinado', 'demo1234', from('203.0.113.3'))).status).toBe(303);
  });

  test('does not count what fails at the login of the API', async ({ api, dashboard }) => {
    const login = (username: string) =>
      call(`${api.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'x-username': username, 'x-password': 'mal', ...from('203.0.113.5') },
      });
    for (let attempt = 0; attempt < 10; attempt++) await login('operaciones');
    for (let attempt = 0; attempt < 20; attempt++) await login(`nadie${attempt}`);
    expect((await login('operaciones')).status).toBe(429);
    const { status } = await new Visitor(dashboard.url).login('operaciones', 'demo1234', from('203.0.113.5'));
    expect(status).toBe(303);
  });

  test('refuses users of the demo data without ALLOW_DEMO_USERS', async ({ startDashboard }) => {
    const { url } = await startDashboard({ ALLOW_DEMO_USERS: 'false' });
    const answer = await new Visitor(url).login('operaciones');
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('Usuario o contraseña incorrectos');
  });
});

describe('a session', () => {
  test('ends at logout', async ({ dashboard }) => {
    const visitor = await Visitor.operator(dashboard.url);
    const { status, headers } = await visitor.send('POST', '/salir');
    expect([status, headers.get('location')]).toEqual([303, '/entrar']);
    expect(headers.getSetCookie()[0]).toMatch(/^sesion=; .*Expires=Thu, 01 Jan 1970/);
    expect((await visitor.page('/')).status).toBe(303);
  });

  test('is kept in Redis under a hash of its id, and expires', async ({ dashboard, sessionKeys, stores }) => {
    await stores.redis.del(...(await sessionKeys()), 'none');
    const visitor = await Visitor.operator(dashboard.url);
    const [key = ''] = await sessionKeys();
    const id = visitor.cookie.split('=')[1] ?? '';
    expect(key + (await stores.redis.get(key))).not.toContain(id);
    expect(await stores.redis.ttl(key)).toBeGreaterThan(28_000);
    await stores.redis.expire(key, 0);
    expect((await visitor.page('/')).status).toBe(303);
  });

  test.for<[string, (users: UserStore, name: string) => Promise<unknown>]>([
    ['is disabled', (users, name) => users.set(name, { disabled: true })],
    ['loses colas.admin', (users, name) => users.revoke(name, ['colas.admin'])],
    ['ends all tokens', (users, name) => users.endTokens(name)],
  ])(
    'ends within ten seconds when its user %s',
    async ([what, change], { createOperator, dashboard, users }) => {
      const name = `vigia-${what.split(' ').at(-1)}`;
      await createOperator(name);
      const visitor = new Visitor(dashboard.url);
      await visitor.login(name);
      expect((await visitor.page('/')).status).toBe(200);
      await change(users, name);
      passTime(10_000);
      expect((await visitor.page('/')).status).toBe(303);
    },
  );
});

describe('every page', () => {
  test('is not cached, not framed, and loads nothing from elsewhere', async ({ dashboard }) => {
    const visitor = await Visitor.operator(dashboard.url);
    for (const path of ['/', '/entrar', '/colas', '/no-existe']) {
      const { headers, text } = await visitor.page(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy.match(/https?:/)).toBeNull();
      expect(policy).not.toMatch(/script-src[^;]*unsafe/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text.match(/(src|href)="(https?:)?\/\//)).toBeNull();
    }
  });
});
