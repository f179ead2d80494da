import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { AccountLimitsStore } from '#services/api/accounts/account-limits.ts';
import { run } from '#services/api/cli.ts';
import { newKey } from '#services/api/keys/key.ts';
import { KeyStore } from '#services/api/keys/key-store.ts';
import { hashPassword, matchingHash } from '#shared/accounts/passwords.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { Client } from '#test/fixtures/client.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `npm run admin -- canary` (docs/contract.md "Canary"). */

const PASSWORD = randomBytes(32).toString('hex');
const PERMISSIONS = ['guias.create', 'guias.read', 'guias.cancel', 'guias.quote', 'webhooks.admin'];

const test = services
  .extend('admin', { scope: 'file' }, ({ stores }) => (args: string[], env: Record<string, string> = {}) => {
    return runCommand(run, args, { env: { MONGODB_URI: stores.mongoUri, ...env } });
  })
  /** Runs `admin canary`, with a password, and with --ways if it is given. */
  .extend('ensure', { scope: 'file' }, ({ admin }) => (CANARY_KEY: string, CELL = '', ways?: string) => {
    return admin(['canary', ...(ways ? ['--ways', ways] : [])], {
      CELL,
      CANARY_KEY,
      CANARY_PASSWORD: PASSWORD,
    });
  })
  .extend('users', { scope: 'file' }, ({ stores }) => new UserStore(stores.mongo))
  .extend('keys', { scope: 'file' }, ({ stores }) => new KeyStore(stores.mongo))
  /** Returns what the audit log has of the command. */
  .extend('recorded', { scope: 'file' }, ({ stores }) => () => {
    return stores.mongo.collection('audit').find({ action: 'admin.canary' }).toArray();
  });

test('the account is made once, with what the canary needs and no more', async ({
  api,
  ensure,
  users,
  keys,
  recorded,
  stores,
}) => {
  const key = newKey(true);
  expect(await ensure(key)).toMatchObject({
    code: 0,
    out: 'La cuenta guardia-cliente quedo lista. Una llave anterior deja de valer en 10 segundos\n',
  });

  const kind = { account: 'guardia-cliente', test: true, canaryOf: '', originBranch: null, disabled: false };
  expect(await users.find('guardia-cliente')).toMatchObject({ ...kind, permissions: PERMISSIONS });
  const entrance = await users.find('guardia-entrada');
  expect(entrance).toMatchObject({ ...kind, permissions: [] });
  expect(await matchingHash([entrance?.passwordHash ?? ''], PASSWORD)).toBeDefined();
  expect(await keys.list('guardia-cliente')).toMatchObject([{ name: 'guardia', start: key.slice(0, 12) }]);
  expect(await keys.list('guardia-entrada')).toEqual([]);
  expect(await new AccountLimitsStore(stores.mongo).find('guardia-cliente')).toEqual({
    ...{ requestsPerSecond: 3, requestsBurst: 60, guidesPerDay: 27_000, labelPages: 6 },
  });
  expect((await new Client(api.url, key).get('/api/auth/validate')).body).toMatchObject({ response: 'OK' });

  // An installation runs the command at each start.
  expect(await ensure(key)).toMatchObject({
    code: 0,
    out: 'La cuenta guardia-cliente ya estaba bien: no se cambio nada\n',
  });
  expect(await recorded()).toMatchObject([{ outcome: 'ok' }]);
  expect(JSON.stringify(await recorded())).not.toContain(key);
});

test('a new key ends the one before', async ({ api, ensure, keys }) => {
  const [former, key] = [newKey(true), newKey(true)];
  await ensure(former, 'llaves');
  await ensure(key, 'llaves');
  expect(await keys.list('guardia-cliente-llaves')).toMatchObject([{ start: key.slice(0, 12) }]);
  const statuses = [former, key].map(async (each) => new Client(api.url, each).get('/api/auth/validate'));
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([401, 200]);
});

test.for<[what: string, args: string[]]>([
  ['a permission more', ['grant', 'guardia-cliente-otra', 'guias.read.all']],
  ['a permission less', ['revoke', 'guardia-cliente-otra', 'guias.read']],
  ['its key ended', ['revoke', 'guardia-cliente-otra']],
  ['a user that is disabled', ['disable', 'guardia-entrada-otra']],
  ['a higher limit', ['limits', 'guardia-cliente-otra', '--guides-per-day', '200000']],
  ['guides that must have a quote', ['limits', 'guardia-cliente-otra', '--cotizar', 'exigir']],
])('%s is mended, and recorded', async ([, args], { admin, ensure, users, keys, recorded, stores }) => {
  const key = newKey(true);
  await ensure(key, 'otra');
  expect(await admin(args)).toMatchObject({ code: 0 });
  const before = await recorded();
  expect((await ensure(key, 'otra')).out).toMatch(/^La cuenta guardia-cliente\S* quedo lista/);

  const [user, entrance] = await Promise.all(
    ['guardia-cliente', 'guardia-entrada'].map((name) => users.find(`${name}-otra`)),
  );
  expect(user?.permissions.toSorted()).toEqual(PERMISSIONS.toSorted());
  expect([user?.disabled, entrance?.disabled]).toEqual([false, false]);
  expect(await keys.list('guardia-cliente-otra')).toHaveLength(1);
  expect(await new AccountLimitsStore(stores.mongo).find('guardia-cliente-otra')).toEqual({
    ...{ requestsPerSecond: 3, requestsBurst: 60, guidesPerDay: 27_000, labelPages: 6 },
  });
  expect(await recorded()).toHaveLength(before.length + 1);
  expect((await ensure(key, 'otra')).out).toMatch(/^La cuenta guardia-cliente\S* ya estaba bien/);
});

test('a password that somebody changed becomes that of the settings again', async ({ ensure, users }) => {
  const key = newKey(true);
  await ensure(key, 'clave');
  await users.set('guardia-entrada-clave', { passwordHash: await hashPassword('otra') });
  expect((await ensure(key, 'clave')).out).toMatch(/^La cuenta guardia-cliente\S* quedo lista/);
  const { passwordHash = '' } = (await users.find('guardia-entrada-clave')) ?? {};
  expect(await matchingHash([passwordHash], PASSWORD)).toBeDefined();
});

test('more ways in have higher limits', async ({ ensure, stores }) => {
  const key = newKey(true);
  await ensure(key, 'grande', '3');
  await ensure(key, 'grande', '12');
  expect(await new AccountLimitsStore(stores.mongo).find('guardia-cliente-grande')).toEqual({
    ...{ requestsPerSecond: 12, requestsBurst: 240, guidesPerDay: 108_000, labelPages: 24 },
  });
});

test('each cell has an account and a key of its own', async ({ ensure, keys, users }) => {
  const [north, south] = [newKey(true), newKey(true)];
  await ensure(north, 'norte');
  await ensure(south, 'sur');
  await ensure(north, 'norte');
  expect((await users.find('guardia-cliente-sur'))?.canaryOf).toBe('sur');
  expect(await keys.list('guardia-cliente-norte')).toMatchObject([{ start: north.slice(0, 12) }]);
  expect(await keys.list('guardia-cliente-sur')).toMatchObject([{ start: south.slice(0, 12) }]);
});

test('what operators call their own users is left to them', async ({ ensure, users }) => {
  const operator = { account: 'guardia', permissions: [], originBranch: null, passwordHash: 'suya' };
  await users.create({ ...operator, username: 'guardia', disabled: false });
  expect(await ensure(newKey(true))).toMatchObject({ code: 0 });
  expect(await users.find('guardia')).toMatchObject(operator);
});

test('the cells "" and "entrada" are in nobody else\'s way', async ({ ensure }) => {
  for (const cell of ['', 'entrada']) expect(await ensure(newKey(true), cell)).toMatchObject({ code: 0 });
});

test.for<[what: string, user: string, account: string, message: string]>([
  [
    'an account',
    'tienda-ajena',
    'guardia-cliente-ajena',
    'La cuenta guardia-cliente-ajena tiene un usuario que no es del cliente de prueba (canary): tienda-ajena',
  ],
  [
    'a user',
    'guardia-entrada-propia',
    'tienda',
    'El usuario guardia-entrada-propia no es del cliente de prueba (canary)',
  ],
])('%s of a customer is left alone', async ([, username, account, message], { ensure, users, keys }) => {
  const customer = { permissions: [], originBranch: null, passwordHash: 'suya', disabled: false };
  await users.create({ ...customer, username, account });
  const cell = `${username} ${account}`.match(/guardia-(?:cliente|entrada)-(\w+)/)?.[1] ?? '';
  expect(await ensure(newKey(true), cell)).toEqual({ code: 1, out: '', err: `${message}\n` });
  expect(await users.find(username)).toMatchObject({ account, permissions: [], passwordHash: 'suya' });
  expect(await keys.list(`guardia-cliente-${cell}`)).toEqual([]);
});

test('settings that are no key or are missing are named', async ({ admin, ensure }) => {
  expect(await ensure(randomBytes(32).toString('hex'))).toEqual({
    code: 1,
    out: '',
    err: 'CANARY_KEY no tiene la forma de una llave: gk_test_ y 49 caracteres\n',
  });
  expect(await admin(['canary'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^Falta la variable CANARY_KEY\. .*\nFalta la variable CANARY_PASSWORD\. /),
  });
  const settings = { CANARY_KEY: newKey(true), CANARY_PASSWORD: PASSWORD };
  expect(await admin(['canary', '--ways', '14'], settings)).toMatchObject({
    code: 2,
    err: expect.stringContaining('El numero de entradas debe ser un entero de 1 a 13'),
  });
});
