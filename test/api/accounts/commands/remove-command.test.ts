import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { vi } from 'vitest';
import { COLLECTIONS } from '#local/access/mongo-roles.ts';
import { addRemoveCommand } from '#services/api/accounts/commands/remove-command.ts';
import { accountsPersonalData } from '#services/api/accounts/personal-data.ts';
import { ROOMS } from '#services/api/app.ts';
import { run } from '#services/api/cli.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { type Run, runCommandLine } from '#shared/commands/run-command-line.ts';
import { pathsOfUser } from '#shared/stores/collection.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { Client, logIn, minimalGuide } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { runCommand, runProgram } from '#test/fixtures/operators/command.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';
import { storedOf } from '#test/fixtures/stored.ts';

/** `npm run admin -- remove`, which waits for ten seconds: these tests do so beside one another. */

// Processes that start at the same time take long on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const PASSWORD = 'una clave larga';
/** What takes long says how far it is. */
const PROGRESS = /^Guias revisadas: \d+\n/gm;
const PERMISSIONS = 'guias.create,guias.read,guias.cancel,eventos.create';

const test = services
  .extend('admin', { scope: 'file' }, ({ stores }) => (...args: string[]) => {
    return runCommand(run, args, { input: `${PASSWORD}\n`, env: { MONGODB_URI: stores.mongoUri } });
  })
  /** Runs `remove` in a process of its own, as others may run at the same time. */
  .extend('remove', { scope: 'file' }, ({ stores }) => async (name: string, mongoUri = stores.mongoUri) => {
    const ran = await runProgram(['services/api/cli.ts', 'remove', name], { env: { MONGODB_URI: mongoUri } });
    return { ...ran, err: ran.err.replaceAll(PROGRESS, '') };
  })
  /** Runs `remove` with rooms of which the first fails to close an account. */
  .extend('removeAndFail', { scope: 'file' }, ({ stores }) => (name: string) => {
    const fails = () => Promise.reject(new Error('The database is away'));
    const accounts = {
      isOfTests: 'none',
      describeInherited: 'none',
      refuseClosing: 'none',
      closeAccount: fails,
    } as const;
    const room = { ...accountsPersonalData, accounts };
    const names = { name: 'npm run admin --', service: 'admin' } as const;
    const addCommands = (program: Command, run: Run) => addRemoveCommand(program, run, async () => [room]);
    return runCommand((argv) => runCommandLine({ ...names, addCommands }, argv), ['remove', name], {
      env: { MONGODB_URI: stores.mongoUri },
    });
  })
  /** Creates a user and logs the user in. */
  .extend('newUser', { scope: 'file' }, ({ admin, api }) => async (name: string, account: string) => {
    const options = ['--account', account, '--permissions', PERMISSIONS, '--origin', 'MEX01'];
    const { code, err } = await admin('create', name, ...options);
    if (code !== 0 || err) throw new Error(`${code}: ${err}`);
    return Client.login(api.url, name, PASSWORD);
  })
  /** Returns the names of the collections that hold a text. */
  .extend('whereIs', { scope: 'file' }, ({ stores }) => async (text: string) => {
    const found = [];
    for (const { name } of COLLECTIONS) {
      const documents = await stores.mongo.collection(name).find().toArray();
      if (JSON.stringify(documents).includes(text)) found.push(name);
    }
    return found.toSorted();
  });

const outcome = async (client: Client) => {
  const { status, body } = await client.get('/api/auth/validate');
  return [status, body.codigo];
};
const ENDED = [401, 'acceso_denegado'];

test.concurrent('a removed user leaves a name in the trail alone', async ({
  admin,
  api,
  expect,
  newUser,
  remove,
  stores,
  whereIs,
}) => {
  const [name, account] = [`u${randomUUID()}`, `a${randomUUID()}`];
  const client = await newUser(name, account);
  const [cancelled, moved] = await client.created(minimalGuide(), minimalGuide());
  const numbers = [cancelled?.SEND_GUIA ?? '', moved?.SEND_GUIA ?? ''];
  expect((await client.post(`/api/guias/${numbers[0]}/cancelar`, '')).status).toBe(200);
  const manifest = (whose: Client) => whose.post('/api/manifiestos', {}, { 'idempotency-key': 'hoy' });
  expect((await manifest(client)).status).toBe(200);
  await client.post('/api/eventos', { Eventos: [event(numbers[1] ?? '', 'EnTransito')] });
  await admin('limits', account, '--label-pages', '7');
  const setBy = { username: name };
  const receiver = { account, url: 'https://tienda.example/', description: '', cursor: 0, setBy };
  const webhook = await new WebhookStore(stores.mongo).add(receiver, 'whsec_x');
  const { Llave } = (await client.post('/api/llaves', { Nombre: 'tienda' })).body.data as { Llave: string };
  const program = new Client(api.url, Llave);
  expect(await outcome(program)).toEqual([200, undefined]);
  expect(await whereIs(name)).toEqual([
    'audit',
    'events',
    'guides',
    'keys',
    'manifests',
    'users',
    'webhooks',
  ]);

  expect(await remove(name)).toEqual({
    code: 0,
    out: [
      `Usuario eliminado: ${name} (cuenta: ${account})`,
      `La cuenta ${account} ya no tiene usuarios. Sus limites propios se quitaron.`,
      'Las guias que quedan en ella se conservan (las de prueba, 30 dias).',
      `Quedan sus webhooks (1), y ya nadie los administra. Se terminan con: webhooks end --account ${account}`,
      '',
    ].join('\n'),
    err: [
      'Deshabilitado. Se elimina en 10 segundos; Ctrl-C lo impide.',
      'Quedan estos webhooks:',
      `  ${webhook?.id}  tienda.example, cuenta ${account}, puesto por ${name}`,
      `Los que no sean del cliente se terminan con: webhooks end ${webhook?.id}`,
      '',
    ].join('\n'),
  });

  for (const each of [client, program]) expect(await outcome(each)).toEqual(ENDED); // 10 s have passed
  expect((await logIn(api.url, name, PASSWORD)).status).toBe(401);
  expect((await admin('list')).out).not.toContain(name);
  expect(await whereIs(name)).toEqual(['audit']);
  expect(await stores.mongo.collection('accounts').findOne({ _id: account as never })).toBeNull();
  const trail = await new AuditStore(stores.mongo).find({ user: name, action: 'admin.remove' }, 10);
  expect(trail.map(({ subject, outcome }) => [subject, outcome])).toEqual([
    [name, 'ok'],
    [name, 'started'],
  ]);

  // The guides are the account's, as they were.
  const heir = await newUser(`h${randomUUID()}`, account);
  const seen = (await heir.get('/api/guias')).body.data as { SEND_GUIA: string; SEND_ESTATUS: string }[];
  expect(Object.fromEntries(seen.map(({ SEND_GUIA, SEND_ESTATUS }) => [SEND_GUIA, SEND_ESTATUS]))).toEqual({
    [numbers[0] ?? '']: 'Cancelado',
    [numbers[1] ?? '']: 'EnTransito',
  });

  // Another user of the same name gets neither tokens nor keys nor guides nor manifests of the former one.
  const namesake = await newUser(name, `b${randomUUID()}`);
  passTime(10_000);
  for (const each of [client, program]) expect(await outcome(each)).toEqual(ENDED);
  expect(await outcome(namesake)).toEqual([200, undefined]);
  expect((await manifest(namesake)).body.codigo).toBe('sin_guias_por_entregar');
  expect((await admin('account', name, `c${randomUUID()}`)).code).toBe(0);
  expect(await stores.mongo.collection('guides').countDocuments({ account })).toBe(2);
});

test.concurrent('an account of the same name keeps it with its limits, as another user is left', async ({
  admin,
  expect,
  newUser,
  remove,
  stores,
  whereIs,
}) => {
  const name = `u${randomUUID()}`;
  await (await newUser(name, name)).created(minimalGuide());
  const client = await newUser(`o${randomUUID()}`, name);
  await admin('limits', name, '--label-pages', '7');
  await admin('disable', name);
  expect(await remove(name)).toEqual({
    code: 0,
    out: `Usuario eliminado: ${name} (cuenta: ${name})\n`,
    err: expect.stringMatching(
      /^Su cuenta se llama igual: .*\nDeshabilitado\. Se elimina en 10 segundos; Ctrl-C lo impide\.\n$/s,
    ),
  });
  expect(await whereIs(name)).toEqual(['accounts', 'audit', 'guides', 'users']);
  expect(await stores.mongo.collection('users').findOne({ _id: name as never })).toBeNull();
  expect((await outcome(client))[0]).toBe(200);
});

test.concurrent('a removal that was cut while it closed the account is repeated, and forgets the name in each room', async ({
  expect,
  newUser,
  remove,
  removeAndFail,
  stores,
  whereIs,
}) => {
  const [name, account] = [`u${randomUUID()}`, `a${randomUUID()}`];
  const client = await newUser(name, account);
  for (const { data } of ROOMS) await (await storedOf(data.name)).byClient?.(client, stores.mongo);
  const naming = COLLECTIONS.filter((collection) => pathsOfUser(collection).length > 0);
  expect(await whereIs(name), 'byClient of test/api/<room>/stored.ts must store in each collection').toEqual(
    ['audit', 'users', ...naming.map((collection) => collection.name)].toSorted(),
  );
  expect((await removeAndFail(name)).code).toBe(1);
  expect((await remove(name)).out).toContain(`La cuenta ${account} ya no tiene usuarios.`);
  expect(await whereIs(name)).toEqual(['audit']);
});

// By itself: every removal waits for the creation that is open here.
test('a removal waits for a creation that is not stored yet', async ({
  admin,
  expect,
  newUser,
  onTestFinished,
  remove,
  stores,
  whereIs,
}) => {
  const name = `u${randomUUID()}`;
  await (await newUser(name, 'demo')).created(minimalGuide());
  await admin('disable', name);
  const open = { _id: 'cut' as never, openSince: new Date(Date.now() + 3_600_000) }; // here nobody stores it
  await stores.mongo.collection('creations').insertOne(open);
  const waits = Promise.withResolvers<void>();
  const proxy = await startMongoProxy(stores.mongoUri, ({ find }) => {
    if (find === 'creations') waits.resolve();
    return 'done';
  });
  onTestFinished(proxy.close);
  const removal = remove(name, proxy.uri);
  await Promise.race([waits.promise, removal]);
  expect(await whereIs(name)).toEqual(expect.arrayContaining(['guides', 'users']));
  await stores.mongo.collection('creations').deleteOne({ _id: open._id });
  expect((await removal).code).toBe(0);
  expect(await whereIs(name)).toEqual(['audit']);
});
