import { expect } from 'vitest';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { logIn } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { test as services } from '#test/fixtures/services.ts';

const test = services
  .extend('settings', { LOGIN_FAILURES_PER_ADDRESS: '21', TRUST_PROXY: '127.0.0.1' })
  /** Logs in from an address, and returns the status. */
  .extend(
    'login',
    { scope: 'file' },
    ({ api }) =>
      async (username: string, password: string, address: string) =>
        (await logIn(api.url, username, password, address)).status,
  )
  /** What the trail has from an address, the oldest first, once it has so many events. */
  .extend('events', { scope: 'file' }, ({ stores }) => async (address: string, count: number) => {
    const trail = new AuditStore(stores.mongo);
    await expect.poll(() => trail.find({ address }, 100)).toHaveLength(count);
    const found = await trail.find({ address }, 100);
    return found
      .reverse()
      .map(({ action, actor, outcome, details }) => [action, actor, outcome, details?.reason]);
  });

test('logins are recorded with user, address and outcome', async ({ login, events, stores }) => {
  expect(await login('demo', 'demo1234', '192.0.2.1')).toBe(200);
  expect(await login('demo', 'mal', '192.0.2.1')).toBe(401);
  await stores.mongo.collection('users').updateOne({ _id: 'otro' as never }, { $set: { disabled: true } });
  expect(await login('otro', 'demo1234', '192.0.2.1')).toBe(401);
  expect(await events('192.0.2.1', 3)).toEqual([
    ['login', 'demo', 'ok', undefined],
    ['login', 'demo', 'refused', 'wrong'],
    ['login', 'otro', 'refused', 'disabled'],
  ]);
});

test('a name that is no user is not recorded: it may be a password', async ({ login, events, stores }) => {
  expect(await login('mi-clave-secreta', 'demo', '192.0.2.2')).toBe(401);
  expect(await events('192.0.2.2', 1)).toEqual([['login', 'unknown', 'refused', 'wrong']]);
  const all = await stores.mongo.collection('audit').find().toArray();
  expect(JSON.stringify(all)).not.toContain('mi-clave-secreta');
});

test('a limit is recorded once for each user, however many requests it refuses', async ({
  login,
  events,
}) => {
  for (const user of ['demo', 'lectura']) {
    for (let attempt = 0; attempt < 10; attempt++) await login(user, 'mal', '192.0.2.3');
    for (let attempt = 0; attempt < 5; attempt++)
      expect(await login(user, 'demo1234', '192.0.2.3')).toBe(429);
  }
  await login('sinorigen', 'mal', '192.0.2.3');
  for (let attempt = 0; attempt < 5; attempt++)
    expect(await login('operaciones', 'demo1234', '192.0.2.3')).toBe(429);
  const found = await events('192.0.2.3', 24);
  const reasons = found.map(([, , , reason]) => reason);
  expect(reasons.filter((reason) => reason === 'wrong')).toHaveLength(21);
  expect(found.filter(([action]) => action === 'login.locked')).toEqual([
    ['login.locked', 'demo', 'refused', 'pair_limit'],
    ['login.locked', 'lectura', 'refused', 'pair_limit'],
    ['login.locked', 'operaciones', 'refused', 'address_limit'],
  ]);
});

test('the dashboard records logins and logouts', async ({ dashboard, stores }) => {
  const visitor = await Visitor.operator(dashboard.url);
  await visitor.send('POST', '/salir');
  const trail = new AuditStore(stores.mongo);
  const found = () => trail.find({ user: 'operaciones', address: '127.0.0.1' }, 10);
  await expect.poll(found).toHaveLength(2);
  expect(await found()).toMatchObject([
    { action: 'logout', service: 'dashboard', outcome: 'ok' },
    { action: 'login', service: 'dashboard', outcome: 'ok', account: 'operaciones' },
  ]);
});
