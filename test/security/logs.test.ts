import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { startRedis } from '#local/programs/redis.ts';
import { type ServiceName, type System, startSystem } from '#local/system.ts';
import { newKey } from '#services/api/keys/key.ts';
import { LABEL_QUEUE, labelJobOptions } from '#shared/printing/label-job.ts';
import { Client, type CreatedGuide, call, fullGuide } from '#test/fixtures/client.ts';
import type { Stores } from '#test/fixtures/stores.ts';
import { test as systemTest } from '#test/fixtures/system.ts';

/**
 * The logs of all processes, at their most talkative, after a day with all kinds of trouble: enough to follow a
 * request, and nothing of the people in it, nor any secret.
 */

type Line = Record<string, unknown> & { msg: string; service: string; requestId?: string };

/** Every text of a guide, each of which stands nowhere else. */
const PERSON = {
  Remitente: {
    Nombre: 'Zacarías Quetzalcóatl',
    Telefono: '5500011122',
    Celular: '5500033344',
    Email: 'zacarias@correo-de-zacarias.mx',
    CodigoPostal: '06700',
    Estado: 'Ciudad de México',
    Municipio: 'Cuauhtémoc',
    Colonia: 'Colonia Tepetlaoxtoc',
    Calle: 'Callejón Nezahualpilli',
    Numero_exterior: '54545',
    Numero_interior: '32323',
  },
  Destinatario: {
    ...fullGuide().Destinatario,
    Nombre: 'Yolotzin Xochimilca',
    Email: 'yolotzin@correo-de-yolotzin.mx',
    Telefono: '8100055566',
    Celular: '8100077788',
    RazonSocial: 'Papalotes Xochimilca SA',
    RFC: 'PXO850101ZZ9',
    Referencias: 'Junto al tianguis de Nepantla',
    Colonia: 'Colonia Tlalpantongo',
    Calle: 'Calzada Huitzilopochtli',
    Numero_exterior: '98989',
    Numero_interior: '76767',
  },
  Producto: { Contenido: 'Anillo de compromiso', InformacionAdicional: 'Sorpresa de aniversario' },
  Creado_por: { Nombre: 'Tenoch Cuauhtli', Agencia: 'Agencia Cuauhtemoctzin' },
};
/** Postal codes and names of places also stand in the logs of others. */
const { CodigoPostal, DestinoCode, Estado, Municipio, ...recipient } = PERSON.Destinatario;
const { CodigoPostal: _, Estado: __, Municipio: ___, ...sender } = PERSON.Remitente;
const PERSONAL = [sender, recipient, PERSON.Producto, PERSON.Creado_por].flatMap(Object.values<string>);

const PASSWORDS = ['demo1234', 'una-equivocada-77', 'otra-equivocada-88'];
const redisPassword = randomBytes(16).toString('hex');
const NAMES: ServiceName[] = ['api', 'branches', 'label-worker', 'dashboard'];
const KEY = 'pedido-del-cliente-4711';

/** What the helpers below need of the system under test. */
type Day = { system: System; demo: Client; key: string; stores: Stores; redis: Redis; folder: string };

const test = systemTest
  /** A Redis of the file's own, with a password, which trouble befalls. */
  .extend('ownRedis', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const server = await startRedis({ folder, durable: false, log: () => {} });
    const redis = new Redis(server.url);
    onCleanup(async () => {
      redis.disconnect();
      await Promise.all(server.processes.map((process) => process.stop()));
    });
    await redis.config('SET', 'requirepass', redisPassword);
    return { redis, url: Object.assign(new URL(server.url), { password: redisPassword }).href };
  })
  /** The day's guide, the token that was used, and all that was logged. */
  .extend('day', { scope: 'file' }, async ({ systemOptions, stores, folder, ownRedis: { redis, url } }) => {
    vi.stubEnv('LOG_LEVEL', 'trace');
    const system = await startSystem({ ...systemOptions, redisUrl: url }).finally(() => vi.unstubAllEnvs());
    try {
      const demo = await Client.login(system.addresses.api);
      const { body } = await demo.post('/api/llaves', { Nombre: 'tienda' });
      const { Llave: key } = body.data as { Llave: string };
      const day = { system, demo, key, stores, redis, folder };
      const { number, secret } = await usualDay(day);
      await trouble(day, number);
      await system.stop();
      const logs = await Promise.all(NAMES.map((name) => readFile(join(folder, `${name}.log`), 'utf8')));
      const text = logs.join('');
      return { token: demo.token, key, secret, text, lines: text.trimEnd().split('\n').map(parsed) };
    } finally {
      await system.stop();
    }
  });

function parsed(line: string): Line {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`not JSON: ${line}`);
  }
}

const create = (demo: Client, guide: unknown, headers: Record<string, string> = {}) =>
  demo.post('/api/guias/crear', { TipoServicio: 'Domicilio', Guia: [guide] }, headers);

/** @returns the number of the guide that was created, and the secret of the link of its return. */
async function usualDay({ demo }: Day): Promise<{ number: string; secret: string }> {
  const { body } = await create(demo, PERSON, { 'x-request-id': 'crear-1', 'idempotency-key': KEY });
  const number = (body.data as CreatedGuide[])[0]?.SEND_GUIA ?? '';
  for (const path of ['etiqueta', 'etiqueta-pequena', 'etiqueta-10x15']) {
    const { status } = await demo.pdf(`/api/guias/${path}/${number}`, { 'x-request-id': `${path}-1` });
    expect(status).toBe(200);
  }
  await demo.get('/api/sucursales/cobertura/06600', { 'x-request-id': 'cobertura-1' });
  await demo.post(`/api/guias/${number}/devolucion`, { Anticipada: true });
  const link = await demo.post(`/api/guias/${number}/devolucion/enlace`, '');
  const { pathname } = new URL((link.body.data as { Enlace: string }).Enlace);
  for (const [method, path] of [
    ['GET', pathname],
    ['POST', pathname],
    ['DELETE', pathname],
    ['GET', `${pathname}x`],
    ['GET', `${pathname}%E0`],
  ] as const) {
    await fetch(demo.url + path, { method });
  }
  return { number, secret: pathname.split('/').at(-1) ?? '' };
}

/** What clients and others do wrong, and what goes wrong by itself. */
async function trouble({ system, demo, key, stores, redis, folder }: Day, number: string): Promise<void> {
  const { api, dashboard } = system.addresses;
  const login = (headers: Record<string, string>) =>
    call(`${api}/api/auth/login`, { method: 'POST', headers });
  await login({ 'x-username': 'demo', 'x-password': PASSWORDS[1] ?? '' });
  await login({ 'x-username': 'Zacarias Quetzalcoatl', 'x-password': PASSWORDS[2] ?? '' });
  await login({ authorization: `Basic ${Buffer.from('demo:demo1234').toString('base64')}` });
  await call(`${dashboard}/entrar`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: `usuario=operaciones&contrasena=${PASSWORDS[1]}`,
    redirect: 'manual',
  });
  await new Client(api, demo.token.slice(0, -3)).get('/api/sucursales');
  for (const shown of [key, key.slice(0, -3), `${key.slice(0, -3)} x`, newKey(false)])
    await new Client(api, shown).get(`/api/sucursales?llave=${key}`);
  await login({ 'x-username': 'demo', 'x-password': key });
  await demo.get(`/api/sucursales?access_token=${demo.token}&nombre=Yolotzin`);
  await demo.get('/api/sucursales/cobertura/Yolotzin%20Xochimilca');
  await demo.get('/api/guias/etiqueta/5500011122');
  await demo.get('/api/Yolotzin');
  await demo.get(`/api/guias/etiqueta/${demo.token}${demo.token}`);
  await create(demo, { ...PERSON, 'Yolotzin Xochimilca': 'Zacarías Quetzalcóatl' });
  await create(demo, {
    ...PERSON,
    Destinatario: { ...PERSON.Destinatario, Telefono: 'tel. 8100055566', DestinoCode: 'X9' },
  });
  await demo.post('/api/guias/crear', JSON.stringify(PERSON).slice(0, -5));
  await demo.post('/api/guias/crear', JSON.stringify(PERSON), { 'content-type': 'text/plain' });
  await malformed(
    api,
    `GET /api/Yolotzin HTTP/1.1\r\nX-A: Zacarías\r\nAuthorization\u0000: Bearer ${demo.token}\r\n\r\n`,
  );

  // A job that is none of ours, and one whose label cannot be printed.
  const queue = new Queue(LABEL_QUEUE, { connection: redis, prefix: stores.prefix });
  await queue.add('letter', { key: 'malo', label: PERSON, requestId: 'malo-1' }, labelJobOptions('malo', 1));
  await logged(folder, 'An attempt to print a label failed', 'malo-1');
  await queue.close();

  // Redis that is full refuses the job, and says so with the whole job in hand.
  await redis.config('SET', 'maxmemory', '1');
  const other = await create(demo, { ...PERSON, Producto: { Contenido: 'Anillo de compromiso' } });
  const [guide] = other.body.data as CreatedGuide[];
  const full = await demo.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`, { 'x-request-id': 'lleno-1' });
  expect(full.status).toBe(503);
  await redis.config('SET', 'maxmemory', '0');

  await system.processes.branches.stop();
  const elsewhere = { ...PERSON, Destinatario: { ...PERSON.Destinatario, DestinoCode: 'GDL01' } }; // not asked before
  expect((await create(demo, elsewhere, { 'x-request-id': 'caido-1' })).status).toBe(503);
  // Redis changes its password: whoever connects now is refused, password in hand.
  await redis.config('SET', 'requirepass', randomBytes(8).toString('hex'));
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  expect(
    (await demo.get(`/api/guias/etiqueta/${number}?formato=png`, { 'x-request-id': 'clave-1' })).status,
  ).toBe(503);
  await redis.config('SET', 'requirepass', redisPassword);
}

/** Waits for a line of a log. */
function logged(folder: string, msg: string, requestId: string): Promise<void> {
  return vi.waitFor(
    async () => {
      const log = await readFile(join(folder, 'label-worker.log'), 'utf8');
      const found = log
        .split('\n')
        .some((line) => line.includes(`"${msg}"`) && line.includes(`"${requestId}"`));
      expect(found).toBe(true);
    },
    { timeout: 20_000, interval: 50 },
  );
}

function malformed(api: string, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(api).port), '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
    socket.on('close', () => resolve()).on('error', reject);
    socket.resume();
  });
}

describe('the logs', () => {
  test('are lines of JSON with time, level and service', ({ day }) => {
    expect(day.lines.length).toBeGreaterThan(30);
    for (const line of day.lines) {
      expect(line).toMatchObject({
        level: expect.stringMatching(/^(trace|debug|info|warn|error|fatal)$/),
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        service: expect.stringMatching(/^(api|branches|label-worker|dashboard)$/),
        msg: expect.any(String),
      });
    }
  });

  test.for([
    ['crear-1', { method: 'POST', route: '/api/guias/crear', status: 200, user: 'demo' }],
    ['etiqueta-1', { method: 'GET', route: '/api/guias/etiqueta/:guia', status: 200, user: 'demo' }],
    ['cobertura-1', { method: 'GET', route: '/api/sucursales/cobertura/:cp', status: 200, user: 'demo' }],
    ['lleno-1', { method: 'GET', route: '/api/guias/etiqueta/:guia', status: 503, user: 'demo' }],
    ['caido-1', { method: 'POST', route: '/api/guias/crear', status: 503, user: 'demo' }],
  ] as const)(
    'have one line for the request %s, with user, route, status and duration',
    ([id, expected], { day }) => {
      const own = day.lines.filter(
        ({ service, msg, requestId }) => service === 'api' && msg === 'request' && requestId === id,
      );
      expect(own).toHaveLength(1);
      expect(own[0]).toMatchObject({ ...expected, ms: expect.any(Number) });
    },
  );

  test('say why a request failed, with its id', ({ day }) => {
    const why = (id: string) =>
      day.lines.filter(({ requestId, err }) => requestId === id && err).map(({ err }) => JSON.stringify(err));
    expect(why('lleno-1').join()).toContain('OOM command not allowed');
    expect(why('malo-1').join()).toContain('payload-invalid');
    expect(why('caido-1').join()).toContain('ECONNREFUSED');
  });

  test('carry one id through api, queue, worker and branches', async ({ day, ownRedis, stores }) => {
    const servicesOf = (id: string) =>
      new Set(day.lines.filter(({ requestId }) => requestId === id).map(({ service }) => service));
    expect(servicesOf('etiqueta-1')).toEqual(new Set(['api', 'label-worker']));
    expect(servicesOf('etiqueta-pequena-1')).toEqual(new Set(['api', 'label-worker']));
    expect(servicesOf('etiqueta-10x15-1')).toEqual(new Set(['api', 'label-worker']));
    expect(servicesOf('crear-1')).toEqual(new Set(['api', 'branches']));
    const queue = new Queue(LABEL_QUEUE, { connection: ownRedis.redis, prefix: stores.prefix });
    const jobs = await queue.getJobs(['completed']);
    expect(jobs.map(({ data }) => data.requestId)).toEqual(
      expect.arrayContaining(['etiqueta-1', 'etiqueta-pequena-1']),
    );
    await queue.close();
  });

  test('say at start how long guides keep names and addresses', ({ day }) => {
    expect(day.text).toContain('Guides keep names and addresses for ever: RETENTION_DAYS is 0');
  });

  test('hold no personal data', ({ day }) => {
    expect(PERSONAL.length).toBeGreaterThan(15);
    for (const personal of PERSONAL) {
      for (const form of [personal, personal.normalize('NFD'), encodeURIComponent(personal)]) {
        expect(day.text).not.toContain(form);
      }
    }
    expect(day.text).not.toMatch(/Yolotzin|Xochimilca|Zacar|Quetzal/i);
  });

  test('name who logs in from where, but not a name that is no user', ({ day }) => {
    const logins = day.lines.filter(({ audit }) => (audit as { action?: string })?.action === 'login');
    expect(logins.map(({ audit }) => audit)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ actor: 'demo', address: '127.0.0.1', outcome: 'ok' }),
        expect.objectContaining({ actor: 'demo', address: '127.0.0.1', outcome: 'refused' }),
        expect.objectContaining({ actor: 'unknown', address: '127.0.0.1', outcome: 'refused' }),
      ]),
    );
  });

  test('hold no password, token, key or secret', ({ day, secrets }) => {
    const { jwt, internal } = secrets;
    const [, claims = '', signature = ''] = day.token.split('.');
    const random = day.key.slice('gk_live_'.length + 4, -6);
    for (const secret of [
      ...PASSWORDS,
      jwt,
      internal,
      redisPassword,
      day.token,
      claims,
      signature,
      KEY,
      random,
      day.secret,
    ]) {
      expect(day.text).not.toContain(secret);
    }
    expect(day.text).not.toMatch(/argon2id|gk_live_|Bearer ey|Basic [A-Za-z0-9]/);
  });
});
