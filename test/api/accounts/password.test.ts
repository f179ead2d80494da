import { describe, expect } from 'vitest';
import { UserStore } from '#shared/accounts/user-store.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { Client, call, logIn } from '#test/fixtures/client.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `POST /api/auth/password` (docs/contract.md "Authentication"). */

const PASSWORD = 'una clave larga';
const NEXT = 'otra clave larga';
const DAY = 24 * 3_600_000;
/** Within which an end of a token is in force on every process, in ms. */
const IN_FORCE = 10_000;

type UserDocument = { _id: string; passwordHash: string; previousPassword?: { hash: string; until: Date } };

const test = services
  .extend('settings', { TRUST_PROXY: '127.0.0.1' })
  .extend('second', { scope: 'file' }, ({ startApi }) => startApi())
  .extend('users', { scope: 'file' }, ({ stores }) => new UserStore(stores.mongo))
  .extend('documents', { scope: 'file' }, ({ stores }) => stores.mongo.collection<UserDocument>('users'))
  .extend('newUser', { scope: 'file' }, ({ users }) => userMaker(users, PASSWORD))
  .extend('login', { scope: 'file' }, ({ api }) => async (name: string, password: string, url = api.url) => {
    const { status, body } = await logIn(url, name, password);
    return [status, body.codigo];
  })
  /** Sends a change of the own password, from an address. */
  .extend(
    'change',
    { scope: 'file' },
    ({ api }) =>
      (name: string, password: string, body: unknown, from = '203.0.113.1') =>
        call(`${api.url}/api/auth/password`, {
          method: 'POST',
          headers: {
            ...{ 'x-username': name, 'x-password': password, 'x-forwarded-for': from },
            'content-type': 'application/json',
          },
          body: JSON.stringify(body),
        }),
  );

const GOOD = [200, undefined];
const WRONG = [401, 'credenciales_incorrectas'];

describe('a changed password', () => {
  test('replaces the one before, and ends the tokens', async ({ api, change, login, newUser, stores }) => {
    await newUser('cambia');
    const client = await Client.login(api.url, 'cambia', PASSWORD);
    const { status, headers, body } = await change('cambia', PASSWORD, { ContrasenaNueva: NEXT });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    const data = { usuario: 'cambia', anteriorHasta: null };
    expect(body).toEqual({ response: 'OK', message: 'Contrasena cambiada', data });
    expect([await login('cambia', PASSWORD), await login('cambia', NEXT)]).toEqual([WRONG, GOOD]);
    expect((await client.get('/api/auth/validate')).status).toBe(401);
    const trail = () => new AuditStore(stores.mongo).find({ user: 'cambia', action: 'password.change' }, 5);
    await expect.poll(trail).toMatchObject([
      {
        actor: 'cambia',
        address: '203.0.113.1',
        outcome: 'ok',
        details: { overlaps: false, wasOneTime: false },
      },
    ]);
  });

  test('lets a fleet change without a refused request, for a day', async ({
    api,
    change,
    documents,
    login,
    newUser,
    second,
  }) => {
    await newUser('flota');
    const passwords = [PASSWORD, PASSWORD];
    const first = await Client.login(second.url, 'flota', PASSWORD);
    const seen: unknown[] = [];
    let stopped = false;
    let rounds = 0;
    const works = [api, second].map(async ({ url }, i) => {
      while (!stopped) {
        seen.push(await login('flota', passwords[i] ?? '', url));
        const client = await Client.login(url, 'flota', passwords[i]);
        seen.push((await client.get('/api/auth/validate')).status);
        rounds++;
      }
    });
    const more = async () => {
      const target = rounds + 6;
      await expect.poll(() => rounds).toBeGreaterThan(target);
    };
    await more();
    const { body } = await change('flota', PASSWORD, { ContrasenaNueva: NEXT, ConservarAnterior: true });
    const { anteriorHasta } = body.data as { anteriorHasta: string };
    expect(Math.abs(Date.parse(anteriorHasta) - Date.now() - DAY)).toBeLessThan(60_000);
    for (const i of [0, 1]) {
      await more();
      passwords[i] = NEXT;
    }
    await more();
    stopped = true;
    await Promise.all(works);
    expect([...new Set(seen.map(String))]).toEqual([String(GOOD), '200']);
    passTime(IN_FORCE);
    expect((await first.get('/api/auth/validate')).status).toBe(200);

    await documents.updateOne({ _id: 'flota' }, { $set: { 'previousPassword.until': new Date() } });
    expect([await login('flota', PASSWORD), await login('flota', NEXT)]).toEqual([WRONG, GOOD]);
    // The login after the day has forgotten the old hash, and the password still holds.
    expect(await documents.findOne({ _id: 'flota' })).not.toHaveProperty('previousPassword');
    expect(await login('flota', NEXT)).toEqual(GOOD);
  });

  test('is changed by the present one alone, and at most one before it is kept', async ({
    change,
    login,
    newUser,
  }) => {
    await newUser('dos');
    const keep = (ContrasenaNueva: string) => ({ ContrasenaNueva, ConservarAnterior: true });
    expect((await change('dos', PASSWORD, keep(NEXT))).status).toBe(200);
    const late = await change('dos', PASSWORD, keep('la clave del ladron'));
    expect([late.status, late.body.codigo]).toEqual([409, 'contrasena_reemplazada']);
    expect((await change('dos', NEXT, keep('tercera clave larga'))).status).toBe(200);
    expect(await login('dos', PASSWORD)).toEqual(WRONG);
    expect([await login('dos', NEXT), await login('dos', 'tercera clave larga')]).toEqual([GOOD, GOOD]);
  });

  test.for([
    ['another password', { passwordHash: 'x' }],
    ['disabling', { disabled: true }],
  ] as const)(
    'does not keep the one before through %s by an operator',
    async ([name, set], { change, newUser, users }) => {
      const username = name.split(' ')[0] as string;
      await newUser(username);
      await change(username, PASSWORD, { ContrasenaNueva: NEXT, ConservarAnterior: true });
      expect(await users.find(username)).toHaveProperty('previousPassword');
      expect(await users.set(username, set)).not.toHaveProperty('previousPassword');
    },
  );
});

test.for([
  [{}, 'campo_requerido'],
  [{ ContrasenaNueva: 7 }, 'campo_tipo'],
  [{ ContrasenaNueva: 'corta' }, 'campo_formato', 'al menos 12'],
  [{ ContrasenaNueva: ` ${NEXT}` }, 'campo_formato', 'espacios al principio'],
  [{ ContrasenaNueva: `${NEXT}\ud800` }, 'campo_formato', 'caracter roto'],
  [{ ContrasenaNueva: 'Guadalajara2026' }, 'campo_formato', 'comunes'],
  [{ ContrasenaNueva: PASSWORD }, 'campo_formato', 'distinta de la actual'],
  [{ ContrasenaNueva: NEXT, Conservar: true }, 'campo_desconocido'],
] as const)('the change %j is refused: %s', async ([body, codigo, rule = ''], { change, login, newUser }) => {
  await newUser('regla');
  const answer = await change('regla', PASSWORD, body);
  expect([answer.status, answer.body.codigo]).toEqual([400, codigo]);
  expect(answer.body.message).toContain(rule);
  expect(await login('regla', PASSWORD)).toEqual(GOOD);
});

test('guesses at the present password count as logins do', async ({ change, newUser }) => {
  await newUser('adivinada');
  const statuses: number[] = [];
  for (let i = 0; i < 11; i++) {
    statuses.push((await change('adivinada', `mala${i}`, { ContrasenaNueva: NEXT }, '203.0.113.9')).status);
  }
  expect(statuses).toEqual([...Array(10).fill(401), 429]);
});

test('the password before, still valid, does not clear guesses at the present one', async ({
  change,
  newUser,
}) => {
  await newUser('conserva');
  const attempt = async (password: string) =>
    (await change('conserva', password, { ContrasenaNueva: NEXT, ConservarAnterior: true }, '203.0.113.10'))
      .status;
  expect(await attempt(PASSWORD)).toBe(200);
  const statuses: number[] = [];
  for (let i = 0; i < 9; i++) statuses.push(await attempt(`mala${i}`));
  statuses.push(await attempt(PASSWORD), await attempt('mala9'), await attempt('mala10'));
  expect(statuses).toEqual([...Array(9).fill(401), 409, 401, 429]);
});

test('nobody changes the password of a demo user, which everybody knows', async ({ change, login }) => {
  expect((await change('demo2', 'demo1234', { ContrasenaNueva: NEXT })).status).toBe(403);
  expect(await login('demo2', 'demo1234')).toEqual(GOOD);
});

describe('a one-time password', () => {
  const oneTimeUntil = new Date(Date.now() + DAY);

  test('logs nobody in until it is changed, and is not kept', async ({ change, login, newUser }) => {
    await newUser('temporal', { oneTimeUntil });
    expect(await login('temporal', PASSWORD)).toEqual([403, 'contrasena_temporal']);
    expect(await login('temporal', 'mala')).toEqual(WRONG);
    const { body } = await change('temporal', PASSWORD, { ContrasenaNueva: NEXT, ConservarAnterior: true });
    expect(body.data).toEqual({ usuario: 'temporal', anteriorHasta: null });
    expect([await login('temporal', NEXT), await login('temporal', PASSWORD)]).toEqual([GOOD, WRONG]);
  });

  test('expires', async ({ change, login, newUser }) => {
    await newUser('vencida', { oneTimeUntil: new Date(Date.now() - 60_000) });
    const expired = [403, 'contrasena_temporal_vencida'];
    expect(await login('vencida', PASSWORD)).toEqual(expired);
    const { status, body } = await change('vencida', PASSWORD, { ContrasenaNueva: NEXT });
    expect([status, body.codigo]).toEqual(expired);
  });
});
