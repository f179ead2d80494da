import { describe, expect } from 'vitest';
import { run } from '#services/api/cli.ts';
import { KeyStore } from '#services/api/keys/key-store.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import type { SetBy } from '#shared/webhooks/webhook-model.ts';
import { appendEvents } from '#test/fixtures/event-log.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as webhooks } from '#test/fixtures/webhooks.ts';

/** `npm run admin -- webhooks`. */

const URL = 'https://tienda.example:8443/camino-secreto?clave=tambien-secreta';
const HOST = 'tienda.example:8443';
const HEADS = [
  ...['CUENTA', 'ID', 'SERVIDOR', 'PUESTO POR', 'ESTADO', 'DESDE (UTC)'],
  ...['PROXIMO INTENTO', 'PENDIENTES', 'MOTIVO'],
];

let accounts = 0;
const test = webhooks
  .extend('admin', { scope: 'file' }, ({ stores }) => (...args: string[]) => {
    return runCommand(run, args, { env: { MONGODB_URI: stores.mongoUri } });
  })
  .extend('makeUser', { scope: 'file' }, ({ stores }) =>
    userMaker(new UserStore(stores.mongo), 'una contrasena de prueba 1'),
  )
  /** An account with two users, `ana-…` and `luis-…`. */
  .extend('team', async ({ makeUser }) => {
    const account = `equipo-${++accounts}`;
    const team = { account, ana: `ana-${accounts}`, luis: `luis-${accounts}` };
    await makeUser(team.ana, { account });
    await makeUser(team.luis, { account });
    return team;
  })
  /** Adds a webhook. @returns its id. */
  .extend('add', { scope: 'file' }, ({ store }) => async (account: string, setBy?: SetBy) => {
    const webhook = { account, url: URL, description: '', cursor: 0, ...(setBy && { setBy }) };
    return (await store.add(webhook, 'whsec_x'))?.id ?? '';
  })
  /** Returns the ids of an account's webhooks. */
  .extend('idsOf', { scope: 'file' }, ({ store }) => async (account: string) => {
    return (await store.list(account)).map(({ id }) => id);
  });

test('says when there is none', async ({ admin }) => {
  expect(await admin('webhooks')).toEqual({ code: 0, out: 'No hay webhooks\n', err: '' });
});

test('says whose webhook fails, since when and why, no secret', async ({ admin, newCustomer, stores }) => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 8, minute));
  const add = () => newCustomer(URL);
  const [fine, behind, failing, off] = [await add(), await add(), await add(), await add()];
  const row = ({ account, id }: typeof fine, ...rest: string[]) => [account, id, HOST, ...rest];
  await appendEvents(stores.mongo, behind.account, 1, 3);
  await appendEvents(stores.mongo, failing.account, 1, 2);
  await failing.set({
    failures: 4,
    failingSince: at(1),
    lastFailure: { at: at(3), reason: 'Respondio 500' },
    dueAt: at(33),
  });
  await off.set({ setBy: { username: 'tienda', key: 'gk_live_Xy3k', url: URL } });
  await behind.set({ setBy: { username: 'tienda', url: URL } });
  await off.set({ active: false, off: { at: at(2), reason: 'Respondio 410: ya no existe' } });
  await fine.set({ lastFailure: { at: at(0), reason: 'No se pudo conectar' } }); // which is over

  const { code, out, err } = await admin('webhooks', 'list');
  expect([code, err]).toEqual([0, '']);
  expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    HEADS,
    row(failing, '-', 'falla', '2026-11-20T08:01:00', '2026-11-20T08:33:00', '2', 'Respondio 500'),
    row(
      off,
      'tienda con gk_live_Xy3k…',
      'apagado',
      '2026-11-20T08:02:00',
      '-',
      '0',
      'Respondio 410: ya no existe',
    ),
    row(behind, 'tienda', 'activo', '-', '-', '3', '-'),
    row(fine, '-', 'activo', '-', '-', '0', '-'),
    [''],
  ]);
  expect(out).not.toContain('secret');
});

describe('end', () => {
  test('ends one by its id, with its secrets, and the trail says so', async ({
    add,
    admin,
    idsOf,
    stores,
    team,
  }) => {
    const [thiefs, own] = [await add(team.account), await add(team.account)];
    expect(await admin('webhooks', 'end', thiefs)).toEqual({
      code: 0,
      out: `Webhooks terminados:\n${thiefs}  ${HOST}, cuenta ${team.account}\n`,
      err: '',
    });
    expect(await idsOf(team.account)).toEqual([own]);
    const secrets = stores.mongo
      .collection('webhookSecrets')
      .find({ _id: { $in: [thiefs, own] as never[] } });
    expect((await secrets.toArray()).map(({ _id }) => String(_id))).toEqual([own]);
    const trail = await new AuditStore(stores.mongo).find({ action: 'admin.webhooks.end' }, 2);
    expect(trail.map(({ outcome, details }) => [outcome, details])).toEqual([
      ['ok', { ids: thiefs, webhooks: [thiefs] }],
      ['started', { ids: thiefs }],
    ]);
  });

  test('ends those of an account, or with an address that a user chose, and no other', async ({
    add,
    admin,
    idsOf,
    stores,
    team: { account, ana, luis },
  }) => {
    await add(account, { username: ana, key: 'gk_live_Xy3k' });
    const elsewhere = `${account}-antes`;
    await add(elsewhere, { username: ana });
    const others = [await add(account, { username: luis }), await add(account)];
    expect((await admin('webhooks', 'list', '--user', ana)).out.split('\n')).toHaveLength(4);
    expect((await admin('webhooks', 'end', '--user', ana)).code).toBe(0);
    const [ended] = await new AuditStore(stores.mongo).find({ action: 'admin.webhooks.end' }, 1);
    expect([ended?.subject, ended?.details]).toEqual([ana, { webhooks: expect.any(Array) }]);
    expect([await idsOf(elsewhere), await idsOf(account)]).toEqual([[], others]);
    const another = await add(elsewhere);
    expect((await admin('webhooks', 'end', '--account', account)).code).toBe(0);
    expect([await idsOf(elsewhere), await idsOf(account)]).toEqual([[another], []]);
  });

  test('ends nothing if an id is wrong, and names it', async ({ add, admin, idsOf, team: { account } }) => {
    const id = await add(account);
    expect(await admin('webhooks', 'end', id, '0b0f8a4e')).toEqual({
      code: 1,
      out: '',
      err: 'No hay webhooks con Id 0b0f8a4e: vea webhooks list\n',
    });
    expect(await idsOf(account)).toEqual([id]);
  });

  test.for([
    [[], 2, 'Indique Ids, --user o --account, uno solo'],
    [['0b0f8a4e', '--user', 'ana'], 2, 'Indique Ids, --user o --account, uno solo'],
    [['--user', 'ana', '--account', 'tienda'], 2, 'Indique Ids, --user o --account, uno solo'],
    [['0b0f8a4e', '1c1f'], 1, 'No hay webhooks con Id 0b0f8a4e, 1c1f: vea webhooks list'],
    [['--account', 'nadie'], 1, 'No hay tales webhooks: vea webhooks list'],
  ] as const)('%j is refused', async ([args, code, said], { admin }) => {
    expect(await admin('webhooks', 'end', ...args)).toEqual({ code, out: '', err: `${said}\n` });
  });
});

describe('what goes on without a user', () => {
  test.for([
    ['disable', [], 'Usuario deshabilitado: '],
    ['revoke', [], 'Terminados: tokens, sesiones'],
    ['revoke', ['webhooks.admin'], 'Permisos cambiados: '],
    ['account', ['otra-cuenta'], 'Cuenta cambiada: '],
  ] as const)(
    'is said by %s %j, which ends none',
    async ([command, args, begin], { add, admin, idsOf, store, team }) => {
      const { account, ana, luis } = team;
      const withKey = await add(account, { username: ana, key: 'gk_live_Xy3k' });
      const unknown = await add(account);
      await store.change(account, unknown, { active: false }, { username: luis });
      const others = await add(account, { username: luis });
      const { code, out, err } = await admin(command, ana, ...args);
      expect([code, err]).toEqual([0, '']);
      expect(out.slice(0, begin.length)).toBe(begin);
      expect(out).toContain(
        [
          '\nQuedan estos webhooks:',
          `  ${withKey}  ${HOST}, cuenta ${account}, puesto por ${ana} con gk_live_Xy3k…`,
          `  ${unknown}  ${HOST}, cuenta ${account}, no se sabe quien lo puso (apagado)`,
          `Los que no sean del cliente se terminan con: webhooks end ${withKey} ${unknown}\n`,
        ].join('\n'),
      );
      expect(await idsOf(account)).toEqual([withKey, unknown, others]);
    },
  );

  test('is said by keys end, of that key alone', async ({ add, admin, stores, team: { account, ana } }) => {
    const made = await new KeyStore(stores.mongo).create({ username: ana, name: 'tienda' }, false);
    const { id = '', start = '' } = made?.key ?? {};
    const byKey = await add(account, { username: ana, key: start });
    await add(account, { username: ana, key: 'gk_live_otra' });
    await add(account, { username: ana });
    expect((await admin('keys', 'end', ana, id)).out).toBe(
      [
        `Llave terminada: tienda (${start}…)`,
        'Quedan estos webhooks:',
        `  ${byKey}  ${HOST}, cuenta ${account}, puesto por ${ana} con ${start}…`,
        `Los que no sean del cliente se terminan con: webhooks end ${byKey}\n`,
      ].join('\n'),
    );
  });

  test('says nobody of an address that a 1.8.0 has changed', async ({
    add,
    admin,
    idsOf,
    team: { account, ana },
    webhooksOf,
  }) => {
    const id = await add(account, { username: ana });
    await webhooksOf.updateOne({ id }, { $set: { url: 'https://ladron.example/' } });
    expect((await admin('disable', ana)).out).toContain(
      `\n  ${id}  ladron.example, cuenta ${account}, no se sabe quien lo puso\n`,
    );
    expect((await admin('webhooks', '--account', account)).out).not.toContain(ana);
    expect((await admin('webhooks', 'end', '--user', ana)).code).toBe(1);
    expect(await idsOf(account)).toEqual([id]);
  });

  test('is nothing if others set it up', async ({ add, admin, team: { account, ana, luis } }) => {
    await add(account, { username: luis });
    expect((await admin('disable', ana)).out).toBe(`Usuario deshabilitado: ${ana}\n`);
  });
});
