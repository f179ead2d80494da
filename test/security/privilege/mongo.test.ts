import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { COLLECTIONS } from '#local/access/mongo-roles.ts';
import { DEMO_TARIFF, seedDemoData } from '#local/demo-data.ts';
import { repoRoot } from '#local/folders.ts';
import { run } from '#services/api/cli.ts';
import { Ledger } from '#services/api/cod/ledger.ts';
import { pay } from '#services/api/cod/remittances.ts';
import { newKey } from '#services/api/keys/key.ts';
import { run as runTariffs } from '#services/api/tariffs-cli.ts';
import { run as runBranches } from '#services/branches/cli.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { MONGO_USERS, type MongoUser } from '#shared/stores/collection.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { pathOf, put } from '#test/api/evidence/fixture.ts';
import { Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { appendEvents } from '#test/fixtures/event-log.ts';
import { event } from '#test/fixtures/events.ts';
import type { MongoCommand } from '#test/fixtures/mongo-proxy.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { catalogueFile } from '#test/fixtures/postal-codes.ts';
import { startReceiver, taking } from '#test/fixtures/receiver.ts';
import { printingTest } from '#test/fixtures/services.ts';
import { describeCommand, mayRun, recordCommands } from './mongo-commands.ts';

/**
 * MongoDB's roles against what the services and programs do. The commands are those that they really send. Whether a role
 * allows them is decided here, by MongoDB's rules: not every database of the tests has roles of one's own.
 * `mongo-users.mongod.ts` asks a real one.
 */

type Recorder = Awaited<ReturnType<typeof recordCommands>>;

const test = printingTest
  /** A recorder for each user of MongoDB. */
  .extend('recorders', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const all = await Promise.all(
      MONGO_USERS.map(async (user) => [user, await recordCommands(stores.mongoUri)] as const),
    );
    onCleanup(async () => {
      await Promise.all(all.map(([, recorder]) => recorder.close()));
    });
    return Object.fromEntries(all) as Record<MongoUser, Recorder>;
  })
  .extend('branches', { scope: 'file' }, ({ startBranches, recorders }) =>
    startBranches({ MONGODB_URI: recorders.branches.uri }),
  )
  .extend('api', { scope: 'file' }, async ({ startApi, recorders, stores }) => {
    // What a crash has cut: the api finishes it as soon as it runs.
    const branch = { code: 'MEX01', name: 'Centro' };
    const records = [
      {
        _id: '100000000001',
        username: 'demo',
        account: 'demo',
        createdAt: '2026-01-01T00:00:00',
        createdUtc: new Date('2026-01-01T06:00:00Z'),
        status: 'Documentado',
        service: 'Domicilio',
        origin: branch,
        destination: branch,
        freight: 0,
        total: 0,
        guide: minimalGuide(),
      },
    ];
    const cut = { _id: '1', creation: 'cut', openSince: new Date(0), records };
    await stores.mongo.collection<typeof cut>('creations').insertOne(cut);
    return startApi({ MONGODB_URI: recorders.api.uri });
  })
  .extend('webhooks', { scope: 'file' }, ({ startWebhooks, recorders }) =>
    startWebhooks({ MONGODB_URI: recorders.webhooks.uri }),
  )
  .extend('dashboard', { scope: 'file' }, ({ startDashboard, recorders }) =>
    startDashboard({ MONGODB_URI: recorders.dashboard.uri }),
  )
  /** Runs a command of the operators to its end, with this on standard input. @returns what it writes. */
  .extend('operate', { scope: 'file' }, ({ recorders, folder }) => {
    return async (user: MongoUser, cli: typeof run, args: string[], input = '', more = {}) => {
      const env = { MONGODB_URI: recorders[user].uri, INIT_CWD: folder, ...more };
      const { code, out, err } = await runCommand(cli, args, { input, env });
      // A slow command tells its progress there.
      expect([code, code === 0 ? '' : err]).toEqual([0, '']);
      return out;
    };
  });

/** What the api tries at start, and does without: the trail's indexes are made by MongoDB's administrator. */
const DISPENSABLE = 'createIndex audit';

/** Returns the commands of `npm run admin` in the pages for operators, each once, in an order in which they can run. */
function documentedCommands(): string[] {
  const page = ['k8s/README.md', 'README.md', 'k8s/operations.md', 'k8s/runbook.md']
    .map((name) => readFileSync(join(repoRoot, name), 'utf8'))
    .join('\n');
  const named = [
    ...page.matchAll(
      /^(?:\(.*; )?(?:npm run (?:--silent )?admin --|admin|.* services\/api\/cli\.ts) ([a-z].*?)(?: +[#<>] .*)?$/gm,
    ),
    ...page.matchAll(/`(?:npm run admin --|admin) ([a-z][^`]*)`/g),
  ].map(([, command = '']) => command.replace('<cuenta>', 'demo').replace('<user>', 'demo2'));
  const remove = (command: string) => Number(command.startsWith('remove'));
  return [...new Set(named)].toSorted((one, other) => remove(one) - remove(other));
}

/** Fails with the commands that the role does not allow. */
function expectAllowed(user: MongoUser, { commands }: Recorder): void {
  const refused = commands.filter((command) => !mayRun(user, command)).map(describeCommand);
  expect(refused.filter((text) => user !== 'api' || text !== DISPENSABLE)).toEqual([]);
}
const sent = ({ commands }: Recorder) => new Set(commands.map(describeCommand));

describe('the role allows all that is sent by', () => {
  test('the api and branches, for logins, guides, labels and events', async ({ api, demo, recorders }) => {
    const [guide] = await demo.created(minimalGuide());
    const body = { TipoServicio: 'Domicilio', Guia: [minimalGuide()] };
    for (const _ of [1, 2]) {
      const { status } = await demo.post('/api/guias/crear', body, { 'idempotency-key': 'one' });
      expect(status).toBe(200);
    }
    expect(await demo.created(minimalGuide(), minimalGuide())).toHaveLength(2);
    expect((await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`)).status).toBe(200);
    expect((await demo.get('/api/sucursales')).status).toBe(200);
    const scanner = await Client.login(api.url, 'escaner');
    const number = guide?.SEND_GUIA ?? '';
    const Eventos = [event(number, 'EnTransito'), event(number, 'Entregado', { Id: 'e1' })];
    expect((await scanner.post('/api/eventos', { Eventos })).status).toBe(200);
    expect((await put(scanner, pathOf(number, 'e1', 'firma'))).status).toBe(200);
    expect((await fetch(`${api.url}/rastreo/${guide?.SEND_GUIA}`)).status).toBe(200);
    const rights = [
      'insert events',
      'find events',
      'update events',
      'find users',
      'insert guides',
      'find guides',
      'find creations',
      'find postalCodes',
      'insert creations',
      'insert evidence',
      'find evidence',
      'update evidence',
      'update+insert pictures',
    ];
    for (const right of [...rights, 'update creations', 'update+insert labelUsage', DISPENSABLE]) {
      await vi.waitFor(() => expect(sent(recorders.api)).toContain(right), 30_000);
    }
    expect(sent(recorders.branches)).toContain('find branches');
    expectAllowed('api', recorders.api);
    expectAllowed('branches', recorders.branches);
  });

  test('the api and webhooks, for what is sent to them', async ({ demo, stores, webhooks, recorders }) => {
    expect(webhooks.url).toBeTruthy();
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const { body } = await demo.post('/api/webhooks', { Url: receiver.url });
    const { Id } = body.data as { Id: string };
    const gone = (response: ServerResponse) => void response.writeHead(410).end();
    for (const answer of [taking, gone]) {
      receiver.answer = answer;
      const before = receiver.received.length;
      const next = (await new EventLog(stores.mongo).last('demo')) + 1;
      await appendEvents(stores.mongo, 'demo', next, next);
      await demo.post(`/api/webhooks/${Id}/activar`, {});
      await expect.poll(() => receiver.received.length).toBe(before + 1);
    }
    // It is switched off before it is removed, which the trail has.
    await vi.waitFor(() => expect(sent(recorders.webhooks)).toContain('insert audit'), 30_000);
    expect((await demo.post(`/api/webhooks/${Id}/secreto`, {})).status).toBe(200);
    expect((await demo.post(`/api/webhooks/${Id}/probar`, {})).status).toBe(503); // nobody listens there
    const headers = { authorization: `Bearer ${demo.token}` };
    expect((await call(`${demo.url}/api/webhooks/${Id}`, { method: 'DELETE', headers })).status).toBe(200);
    expect(sent(recorders.webhooks)).toContain('find events');
    expect(sent(recorders.api)).toContain('remove webhooks');
    expectAllowed('webhooks', recorders.webhooks);
    expectAllowed('api', recorders.api);
  });

  test('the api and npm run admin, for keys', async ({ api, demo, operate, recorders }) => {
    const { body } = await demo.post('/api/llaves', { Nombre: 'tienda' });
    const { Id, Llave } = body.data as { Id: string; Llave: string };
    expect((await new Client(api.url, Llave).get('/api/auth/validate')).status).toBe(200);
    await vi.waitFor(() => expect(sent(recorders.api)).toContain('update keys'), 30_000);
    const headers = { authorization: `Bearer ${demo.token}` };
    expect((await call(`${api.url}/api/llaves/${Id}`, { method: 'DELETE', headers })).status).toBe(200);
    const made = await operate('admin', run, ['keys', 'create', 'demo', 'tienda']);
    const [, id = ''] = /^Llave (\S+) de/.exec(made) ?? [];
    await operate('admin', run, ['keys', 'list']);
    await operate('admin', run, ['keys', 'end', 'demo', id]);
    for (const right of ['createIndex keys', 'find keys', 'insert keys', 'find+remove keys'])
      expect(sent(recorders.api)).toContain(right);
    expect(sent(recorders.admin)).toContain('find+remove keys');
    expectAllowed('api', recorders.api);
    expectAllowed('admin', recorders.admin);
  });

  test("npm run admin, for the canary's account and a new key of it", async ({ operate, recorders }) => {
    for (let turn = 0; turn < 2; turn++) {
      const secrets = { CANARY_KEY: newKey(true), CANARY_PASSWORD: randomBytes(32).toString('hex') };
      const said = await operate('admin', run, ['canary'], '', secrets);
      expect(said).toContain('La cuenta guardia-cliente quedo lista');
    }
    for (const right of ['update+insert users', 'insert keys', 'remove keys'])
      expect(sent(recorders.admin)).toContain(right);
    expectAllowed('admin', recorders.admin);
  });

  test('the dashboard, for a login and its pages', async ({ dashboard, demo, recorders, stores }) => {
    await new UserStore(stores.mongo, { allowDemo: true }).grant('operaciones', ['soporte.read']);
    const [guide] = await demo.created({ ...minimalGuide(), Referencia: 'PEDIDO 1' });
    const operator = await Visitor.operator(dashboard.url);
    for (const path of ['/', '/soporte/webhooks', `/soporte/guia/${guide?.SEND_GUIA}`])
      expect([path, (await operator.page(path)).status]).toEqual([path, 200]);
    const body = new URLSearchParams({ buscar: 'PEDIDO 1' });
    expect((await operator.send('POST', '/soporte', { body })).status).toBeLessThan(400);
    expect((await operator.send('POST', '/salir')).status).toBeLessThan(400);
    for (const right of ['find users', 'find guides', 'find events', 'insert audit'])
      expect(sent(recorders.dashboard)).toContain(right);
    expectAllowed('dashboard', recorders.dashboard);
  });

  test('every command of npm run admin that the documents name', async ({
    demo,
    folder,
    recorders,
    stores,
  }) => {
    const [guide] = await demo.created(minimalGuide());
    const row = `${guide?.SEND_GUIA},Recolectado,${new Date().toISOString()}`;
    writeFileSync(join(folder, 'escaneos.csv'), `Guia,Tipo,Ocurrido\n${row}\n`);
    writeFileSync(join(folder, 'clientes.csv'), 'Usuario,Permisos\ncliente,guias.read\n');
    mkdirSync(join(folder, 'carpeta'));
    writeFileSync(join(folder, 'carpeta/dias_sin_recoleccion.csv'), 'Fecha\n2026-12-25\n');
    const webhook = { account: 'tienda', url: 'https://tienda.example/', description: '', cursor: 0 };
    const webhooks = new WebhookStore(stores.mongo);
    await webhooks.add({ ...webhook, setBy: { username: 'tienda' } }, 'whsec_x');
    const { id = '' } = (await webhooks.add(webhook, 'whsec_x')) ?? {};
    const paid = await payOnce(stores.mongo, guide?.SEND_GUIA ?? '');
    const password = `${randomBytes(12).toString('hex')}\n`;
    const lines = documentedCommands();
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      const file = line.startsWith('import') ? 'clientes.csv' : 'escaneos.csv';
      const names = { '/dev/stdin': file, '/tmp/claves.csv': 'otras.csv', '<id>': id, '<liquidacion>': paid };
      const args = line.split(' ').map((word) => names[word as keyof typeof names] ?? word);
      const input = args.includes('erase') ? 'SI\n' : password;
      const env = { MONGODB_URI: recorders.admin.uri, INIT_CWD: folder };
      const { code, err } = await runCommand(run, args, { input, env });
      expect([line, code, code === 0 ? '' : err]).toEqual([line, 0, '']);
    }
    for (const right of [
      'insert audit',
      'insert events',
      'insert pickupCalendars',
      'insert codLedger',
      'insert usage',
      'remove users',
      'remove webhookSecrets',
    ])
      expect(sent(recorders.admin)).toContain(right);
    expectAllowed('admin', recorders.admin);
  });

  test('npm run branches', async ({ operate, recorders, folder }) => {
    for (const [name, words] of [
      ['sucursales.csv', []],
      ['cobertura.csv', ['coverage']],
    ] as const) {
      const whole = await operate('loads', runBranches, [...words, 'export']);
      writeFileSync(join(folder, name), whole.trimEnd().replace(/\n.*$/, '\n'));
      await operate('loads', runBranches, [...words, 'import', name, '--yes']);
      await operate('loads', runBranches, [...words, 'restore', '--yes']);
    }
    writeFileSync(join(folder, 'CPdescarga.txt'), catalogueFile([{ code: '06600', colonia: 'Norte' }]));
    const catalogue = ['postal-codes', 'import', 'CPdescarga.txt', '--yes'];
    for (const args of [catalogue, catalogue, ['postal-codes', 'withdraw']]) {
      await operate('loads', runBranches, args);
    }
    expect(sent(recorders.loads)).toContain('remove branches');
    expect(sent(recorders.loads)).toContain('remove postalCodes');
    expectAllowed('loads', recorders.loads);
  });

  test('npm run tariffs', async ({ folder, operate, recorders }) => {
    const contracts = join(folder, 'contratos');
    mkdirSync(contracts);
    writeFileSync(join(contracts, 'contratos.csv'), 'Cuenta,Lista,Descuento\ndemo,mayoreo,9\n');
    const loaded = await operate('admin', runTariffs, ['import', contracts, '--yes']);
    const [, number = ''] = /^Version (\d+), en vigor/m.exec(loaded) ?? [];
    const parcel = ['--origin', 'MEX01', '--cp', '64000', '--kg', '2.5', '--cm', '30,20,15'];
    for (const args of [
      ['import', DEMO_TARIFF, '--dry-run'],
      ['list'],
      ['quote', ...parcel],
      ['export', number, 'copia'],
      ['restore', `${Number(number) - 1}`, '--yes'],
      ['withdraw', number],
    ]) {
      await operate('admin', runTariffs, args);
    }
    for (const right of ['insert tariffs', 'find tariffs', 'find branches', 'find coverage', 'find users'])
      expect(sent(recorders.admin)).toContain(right);
    expectAllowed('admin', recorders.admin);
  });

  test('the api, for quotes and guides that are created with one', async ({ demo, recorders }) => {
    const measures = { Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 };
    const guide = { ...minimalGuide(), Producto: { Contenido: 'Libros', ...measures } };
    const body = { TipoServicio: 'Domicilio', Guia: [guide] };
    await expect.poll(async () => (await demo.post('/api/guias/cotizar', body)).status).toBe(200);
    const { data } = (await demo.post('/api/guias/cotizar', body)).body;
    const [quote] = data as { Opciones: { Cotizacion: string }[] }[];
    const [created] = await demo.created({ ...guide, Cotizacion: quote?.Opciones[0]?.Cotizacion });
    expect(created?.SEND_TOTAL).toBeGreaterThan(0);
    expect(sent(recorders.api)).toContain('find tariffs');
    expectAllowed('api', recorders.api);
  });

  test('the loader of the demo data', async ({ recorders, stores }) => {
    for (const name of ['users', 'tariffs']) await stores.mongo.collection(name).deleteMany({});
    expect(await seedDemoData(recorders.demo.uri)).toBe(true);
    expect(sent(recorders.demo)).toContain('insert tariffs');
    expectAllowed('demo', recorders.demo);
  });
});

describe('no role', () => {
  const $db = 'guias';
  const change = { updates: [{ q: {}, u: {} }] };
  test.for<[user: MongoUser, may: string, command: MongoCommand]>([
    ['dashboard', 'change a password', { update: 'users', $db, ...change }],
    ['dashboard', 'add a user', { insert: 'users', $db }],
    ['dashboard', 'change guides', { update: 'guides', $db, ...change }],
    ['branches', 'read users', { find: 'users', $db }],
    ['branches', 'change branches', { insert: 'branches', $db }],
    ['webhooks', 'read users', { find: 'users', $db }],
    ['admin', 'give a key more permissions', { update: 'keys', $db, ...change }],
    ...(['branches', 'dashboard', 'demo', 'loads', 'webhooks'] as const).map(
      (user): [MongoUser, string, MongoCommand] => [user, 'read keys', { find: 'keys', $db }],
    ),
    ['admin', 'read what signs messages', { find: 'webhookSecrets', $db }],
    ['api', 'remove a user', { delete: 'users', $db }],
    ['api', 'add a user', { insert: 'users', $db }],
    ['api', 'add a user by an upsert', { update: 'users', $db, updates: [{ q: {}, u: {}, upsert: true }] }],
    ['api', 'remove from the journal of creations', { delete: 'creations', $db }],
    ['api', 'remove guides', { delete: 'guides', $db }],
    ['admin', 'remove events', { delete: 'events', $db }],
    ['api', 'raise the limits of an account', { update: 'accounts', $db, ...change }],
    ['admin', 'change the journal of creations', { update: 'creations', $db, ...change }],
    ['admin', 'remove guides', { delete: 'guides', $db }],
    ['api', 'add a tariff', { insert: 'tariffs', $db }],
    ['admin', 'change a tariff', { update: 'tariffs', $db, ...change }],
    ['admin', 'remove a tariff', { delete: 'tariffs', $db }],
    ['api', 'add postal codes', { insert: 'postalCodes', $db }],
    ['loads', 'change postal codes', { update: 'postalCodes', $db, ...change }],
    ['loads', 'read tariffs', { find: 'tariffs', $db }],
    ['loads', 'read users', { find: 'users', $db }],
    ['backup', 'change guides', { update: 'guides', $db, ...change }],
    ['demo', 'read guides', { find: 'guides', $db }],
    ...MONGO_USERS.flatMap((user): [MongoUser, string, MongoCommand][] => [
      [user, 'change the trail', { update: 'audit', $db, ...change }],
      [user, 'remove from the trail', { delete: 'audit', $db }],
      [user, 'make the trail expire', { createIndexes: 'audit', $db }],
      [user, 'drop a collection', { drop: 'guides', $db }],
      [user, 'drop the database', { dropDatabase: 1, $db }],
      [user, 'create a user', { createUser: 'x', $db }],
      [user, 'grant a role', { grantRolesToUser: 'x', $db }],
      [user, 'stop the server', { shutdown: 1, $db: 'admin' }],
      [user, 'list databases', { listDatabases: 1, $db: 'admin' }],
    ]),
  ])('lets %s %s', ([user, , command]) => {
    const [collection] = Object.values(command);
    const isOne = ['insert', 'find', 'update', 'delete', 'drop', 'createIndexes'].some(
      (name) => name in command,
    );
    if (isOne) expect(COLLECTIONS.map(({ name }) => name)).toContain(collection);
    expect(mayRun(user, command)).toBe(false);
  });
});

test('the program prints every user and role, the indexes of the trail, and no password', () => {
  const text = execFileSync('node', ['local/access/mongo-users.ts', '--print'], { encoding: 'utf8' });
  for (const user of MONGO_USERS) {
    expect(text).toContain(`db.createRole({ role: 'guias-${user}', roles: [], privileges: [\n`);
    expect(text).toContain(
      `db.createUser({ user: '${user}', pwd: passwordPrompt(), roles: ['guias-${user}'] });`,
    );
  }
  expect(text).toContain(
    '{ resource: { db: db.getName(), collection: \'users\' }, actions: ["find","update"] },',
  );
  expect(text).toContain(
    `db.getCollection('audit').createIndex({"at":1}, {"expireAfterSeconds":34560000});\n`,
  );
});

/** Pays an account what was collected of a guide. @returns the number of the remittance. */
async function payOnce(mongo: Connection, guide: string): Promise<string> {
  const ledger = new Ledger(mongo);
  const movement = { guide, event: 'e', amount: 100, means: 'efectivo' } as const;
  const decide = async () => ({ entries: [{ movement }], result: undefined });
  await ledger.append('ferreteria', decide, AbortSignal.timeout(10_000));
  const payment = await pay(ledger, 'ferreteria', new Date(Date.now() + 60_000));
  return 'remittance' in payment ? payment.remittance.number : '';
}
