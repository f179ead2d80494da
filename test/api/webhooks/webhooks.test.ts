import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Webhook as Official } from 'standardwebhooks';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { run } from '#services/api/cli.ts';
import { KeyStore } from '#services/api/keys/key-store.ts';
import { webhooks as room } from '#services/api/webhooks/room.ts';
import service from '#services/webhooks/package.json' with { type: 'json' };
import { UserStore } from '#shared/accounts/user-store.ts';
import { NewsLog } from '#shared/webhooks/news-log.ts';
import type { SecretsDocument } from '#shared/webhooks/webhook-model.ts';
import { type Answer, Client, call } from '#test/fixtures/client.ts';
import { appendEvents } from '#test/fixtures/event-log.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { eventIds, taking } from '#test/fixtures/receiver.ts';
import { test as webhooksTest } from '#test/fixtures/webhooks.ts';
import { setClockAhead } from '#test/fixtures/wrong-clock.ts';

/** `/api/webhooks` (docs/contract.md "Webhooks"), each test as a user whose account has none. */

type Listed = { Id: string; Activo: boolean; Pendientes: number; [field: string]: unknown };
const PASSWORD = 'una contrasena de prueba 1';
const UNKNOWN = [404, 'webhook_no_encontrado'];
const TOO_MANY = [429, 'cuota_excedida'];
const outcome = ({ status, body }: Answer) => [status, body.codigo];

const test = webhooksTest
  .extend('api', { scope: 'file' }, ({ startApi, webhooks }) => startApi({ WEBHOOKS_URL: webhooks.url }))
  .extend('otro', { scope: 'file' }, ({ api }) => Client.login(api.url, 'otro'))
  .extend('secondApi', { scope: 'file' }, ({ startApi, webhooks }) =>
    startApi({ WEBHOOKS_URL: webhooks.url }),
  )
  /** Lets each test try webhooks as if its account had not done so for a second. */
  .extend('rested', { auto: true }, async ({ stores }) => {
    const keys = await stores.redis.keys(`${stores.prefix}:requests-probe:*`);
    if (keys.length > 0) await stores.redis.del(keys);
  })
  .extend('list', { scope: 'file' }, ({ demo }) => async () => {
    return (await demo.get('/api/webhooks')).body.data as Listed[];
  })
  /** Sends a request without a body. */
  .extend('send', { scope: 'file' }, ({ api }) => (client: Client, method: string, path: string) => {
    const headers = { authorization: `Bearer ${client.token}` };
    return call(`${api.url}/api/webhooks/${path}`, { method, headers });
  })
  /** Registers a webhook of `demo`, which is removed after the test. */
  .extend('register', ({ demo, send }, { onCleanup }) => {
    const ids: string[] = [];
    onCleanup(async () => {
      for (const id of ids) await send(demo, 'DELETE', id);
    });
    return async (Url: string, Temas?: string[]) => {
      const { body } = await demo.post('/api/webhooks', { Url, ...(Temas && { Temas }) });
      const data = body.data as { Id: string; Secreto: string };
      ids.push(data.Id);
      return data;
    };
  })
  /** An api as it is installed: webhooks may lead to the internet, and to one network of ours. */
  .extend('strictApi', { scope: 'file' }, ({ startApi }) =>
    startApi({ WEBHOOKS_ALLOW_PRIVATE: 'false', WEBHOOKS_ALLOW_NETWORKS: '10.20.0.0/16' }),
  )
  .extend('strict', { scope: 'file' }, ({ strictApi }) => Client.login(strictApi.url))
  /** Events of `demo` have numbers of their own in each test. */
  .extend('append', { scope: 'file' }, ({ stores }) => {
    let last = 0;
    return async (count: number) => {
      await appendEvents(stores.mongo, 'demo', last + 1, last + count);
      last += count;
      return last;
    };
  });

test("it gets its account's events from then on", async ({ append, register, newReceiver, store, list }) => {
  await append(2);
  const receiver = await newReceiver();
  const { Secreto } = await register(receiver.url);
  await append(3);
  expect((await list())[0]).toMatchObject({ Pendientes: 3 });
  await store.wake('demo', 0);
  await expect.poll(async () => (await list())[0]?.Pendientes).toBe(0);
  expect(eventIds(receiver.received)).toEqual(['E3', 'E4', 'E5']);
  const { body = '', headers = {} } = receiver.received[0] ?? {};
  expect(new Official(Secreto).verify(body, headers)).toBeTruthy();
  expect((await list())[0]).toMatchObject({ UltimoExito: expect.any(String), UltimoFallo: null });
});

test('a webhook that fails says why, and when it is tried again', async ({
  append,
  register,
  newReceiver,
  store,
  list,
}) => {
  const receiver = await newReceiver();
  receiver.answer = (response) => void response.writeHead(503, { 'retry-after': '60' }).end();
  await register(receiver.url);
  await append(1);
  await store.wake('demo', 0);
  await expect.poll(async () => (await list())[0]?.UltimoFallo).toMatchObject({ Motivo: 'Respondio 503' });
  const { ProximoIntento, Activo, Pendientes } = (await list())[0] as Listed & { ProximoIntento: string };
  expect([Activo, Pendientes]).toEqual([true, 1]);
  expect(Date.parse(ProximoIntento) - Date.now()).toBeGreaterThan(50_000);
});

test('one webhook shows its last tries', async ({ demo, append, register, newReceiver, store }) => {
  const receiver = await newReceiver();
  receiver.answer = (response) => void response.writeHead(503).end();
  const { Id } = await register(receiver.url);
  await append(1);
  await store.wake('demo', 0);
  const read = async () => {
    const { status, body } = await demo.get(`/api/webhooks/${Id}`);
    return [status, body.message, body.data as Listed & { Intentos: object[] }] as const;
  };
  await expect.poll(async () => (await read())[2].Intentos).toHaveLength(1);
  receiver.answer = taking;
  expect((await demo.post(`/api/webhooks/${Id}/activar`, {})).status).toBe(200);
  await expect.poll(async () => (await read())[2].Intentos).toHaveLength(2);
  const [status, message, { Intentos, UltimoExito, ...rest }] = await read();
  const Ocurrido = expect.stringMatching(/^\d{4}-.*Z$/);
  const Ms = expect.any(Number);
  expect([status, message]).toEqual([200, 'Webhook encontrado']);
  expect(Intentos).toEqual([
    { Ocurrido: UltimoExito, Tomado: true, Ms, Estatus: 204 },
    { Ocurrido, Tomado: false, Ms, Estatus: 503, Motivo: 'Respondio 503' },
  ]);
  expect(rest).toMatchObject({ Id, Url: receiver.url, Activo: true, Tipos: [], ProximoIntento: null });
});

test('it says who chose its address, with a token or with which key', async ({
  demo,
  api,
  newReceiver,
  list,
  send,
  webhooksOf,
}) => {
  const { url } = await newReceiver();
  const made = (await demo.post('/api/llaves', { Nombre: 'filtrada' })).body.data as Record<string, string>;
  const thief = new Client(api.url, made.Llave ?? '');
  const registered = async (client: Client) =>
    ((await client.post('/api/webhooks', { Url: url })).body.data as { Id: string }).Id;
  const [own, thiefs] = [await registered(demo), await registered(thief)];
  onTestFinished(async () => {
    for (const id of [own, thiefs]) await send(demo, 'DELETE', id);
    await call(`${api.url}/api/llaves/${made.Id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${demo.token}` },
    });
  });
  const said = async () => (await list()).map(({ Id, UrlPuestaPor }) => [Id, UrlPuestaPor]);
  const [person, key] = [
    { Usuario: 'demo', Llave: null },
    { Usuario: 'demo', Llave: made.Inicio },
  ];
  expect(await said()).toEqual([
    [own, person],
    [thiefs, key],
  ]);
  // What keeps the address keeps who chose it.
  const change = (body: object) => thief.post(`/api/webhooks/${own}`, body, {}, 'PATCH');
  await change({ Descripcion: 'Tienda', Url: url });
  expect((await said())[0]).toEqual([own, person]);
  const { body } = await change({ Url: `${url}/desviado` });
  expect(body.data).toMatchObject({ UrlPuestaPor: key });
  // A process of 1.8.0 changes an address without saying who.
  await webhooksOf.updateOne({ id: own }, { $set: { url: `${url}/otra-vez` } });
  expect((await said())[0]).toEqual([own, null]);
});

describe('to change', () => {
  test('keeps secret and cursor', async ({ demo, append, register, newReceiver, list }) => {
    const [former, next] = [await newReceiver(), await newReceiver()];
    const { Id, Secreto } = await register(former.url);
    expect((await demo.patch(`/api/webhooks/${Id}`, { Activo: false })).body.data).toMatchObject({
      Activo: false,
    });
    const last = await append(2);
    const sent = { Url: next.url, Descripcion: 'Otra', Activo: true, Tipos: ['Incidencia', 'EnTransito'] };
    const { status, body } = await demo.patch(`/api/webhooks/${Id}`, sent);
    expect([status, body.message]).toEqual([200, 'Webhook cambiado']);
    expect(body.data).toMatchObject({ ...sent, Id, Tipos: ['EnTransito', 'Incidencia'], Pendientes: 2 });
    await expect.poll(async () => (await list())[0]?.Pendientes).toBe(0);
    expect([eventIds(former.received), eventIds(next.received)]).toEqual([[], [`E${last - 1}`, `E${last}`]]);
    const { body: text = '', headers = {} } = next.received[0] ?? {};
    expect(new Official(Secreto).verify(text, headers)).toBeTruthy();
    expect(headers['user-agent']).toBe(`shipping-guides-webhooks/${service.version}`);
  });

  test('takes the description away, and the filter, and leaves what is null', async ({ demo, register }) => {
    const { Id } = await register('http://127.0.0.1:1/');
    const changed = async (body: object) => (await demo.patch(`/api/webhooks/${Id}`, body)).body.data;
    const named = { Descripcion: 'Tienda', Tipos: ['Entregado'] };
    expect(await changed(named)).toMatchObject(named);
    expect(await changed({ Url: null, Descripcion: null, Activo: null, Tipos: null })).toMatchObject(named);
    expect(await changed({ Descripcion: '', Tipos: [] })).toMatchObject({ Descripcion: '', Tipos: [] });
  });

  test.for([
    [{ Url: 'http://tienda.example/' }, 'campo_formato', 'Url'],
    [{ Descripcion: 'a'.repeat(121) }, 'campo_largo', 'Descripcion'],
    [{ Activo: 'no' }, 'campo_tipo', 'Activo'],
    [{ Tipos: 'Entregado' }, 'campo_tipo', 'Tipos'],
    [{ Tipos: ['Entregado', 'Perdido'] }, 'campo_formato', 'Tipos.1'],
    [{ Secreto: 'x' }, 'campo_desconocido', 'Secreto'],
  ] as const)('%j is refused', async ([sent, codigo, campo], { strict, register }) => {
    const { Id } = await register('http://127.0.0.1:1/');
    const { status, body } = await strict.patch(`/api/webhooks/${Id}`, sent);
    expect([status, body.codigo, body.details?.[0]?.campo]).toEqual([400, codigo, campo]);
  });
});

describe('to skip', () => {
  test('goes past the message that fails, and no other', async ({
    demo,
    append,
    register,
    newReceiver,
    list,
    store,
  }) => {
    const receiver = await newReceiver();
    const arrived = Promise.withResolvers<ServerResponse>();
    receiver.answer = (response) => arrived.resolve(response);
    const { Id } = await register(receiver.url);
    const skip = () => demo.post(`/api/webhooks/${Id}/activar`, { saltar: true });
    const NOTHING = [409, 'nada_que_saltar'];
    expect(outcome(await skip())).toEqual(NOTHING);
    const last = await append(2);
    await store.wake('demo', 0);
    const response = await arrived.promise;
    expect(outcome(await skip())).toEqual(NOTHING); // its first try is under way
    response.writeHead(400).end();
    await expect.poll(async () => (await list())[0]?.UltimoFallo).not.toBeNull();
    await append(1);
    receiver.answer = taking;
    const { status, body } = await skip();
    expect([status, body.message]).toEqual([200, 'Webhook activado; eventos saltados: 2']);
    expect(body.data).toMatchObject({
      ...{ Id, Activo: true, Pendientes: 1, ProximoIntento: null },
      Saltados: [
        { Id: `E${last - 1}`, SEND_GUIA: '390458235877', Tipo: 'EnTransito' },
        { Id: `E${last}`, Tipo: 'EnTransito' },
      ],
    });
    await expect.poll(async () => (await list())[0]?.Pendientes).toBe(0);
    expect(eventIds(receiver.received.slice(1))).toEqual([`E${last + 1}`]);
    expect(outcome(await skip())).toEqual(NOTHING);
  });

  test('goes past the message of a topic that fails, not past one whose first try is under way', async ({
    demo,
    register,
    newReceiver,
    list,
    store,
    stores,
  }) => {
    const receiver = await newReceiver();
    receiver.answer = (response) => void response.writeHead(400).end();
    const { Id } = await register(receiver.url, ['recolecciones', 'liquidaciones']);
    const log = new NewsLog(stores.mongo);
    const tell = async (topic: string, entry: object) => {
      await log.append(topic, 'demo', 'Lista', [{ ...entry }], AbortSignal.timeout(10_000));
      await store.wake('demo', 0);
    };
    await tell('liquidaciones', { Liquidacion: 'L1' });
    await expect.poll(async () => (await list())[0]?.UltimoFallo).not.toBeNull();
    expect((await list())[0]).toMatchObject({ Activo: true, ProximoIntento: expect.any(String) });
    const arrived = Promise.withResolvers<ServerResponse>();
    receiver.answer = (response) => arrived.resolve(response);
    await tell('recolecciones', { Recoleccion: 'R1' });
    const response = await arrived.promise;
    const { body } = await demo.post(`/api/webhooks/${Id}/activar`, { saltar: true });
    expect(body.message).toBe('Webhook activado; mensaje saltado: liquidaciones');
    expect(body.data).toMatchObject({
      Saltados: [],
      MensajeSaltado: { type: 'liquidaciones', data: { Lista: [{ Liquidacion: 'L1' }] } },
      ProximoIntento: null,
    });
    receiver.answer = taking;
    response.writeHead(204).end();
    await tell('liquidaciones', { Liquidacion: 'L2' });
    await expect.poll(() => receiver.received.at(-1)?.body).toContain('L2');
    const { body: read } = await demo.get(`/api/webhooks/${Id}`);
    expect((read.data as { Intentos: { Tomado: boolean }[] }).Intentos.map(({ Tomado }) => Tomado)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('goes past a message whose first try has switched it off', async ({
    demo,
    append,
    register,
    webhooksOf,
  }) => {
    const { Id } = await register('http://127.0.0.1:1/');
    const off = { at: new Date(), reason: 'Respondio 410: ya no existe' };
    const through = await append(1);
    const cursor = through - 1;
    await webhooksOf.updateOne({ id: Id }, { $set: { active: false, off, cursor, through } });
    const { body } = await demo.post(`/api/webhooks/${Id}/activar`, { saltar: true });
    expect(body.message).toBe('Webhook activado; eventos saltados: 1');
  });
});

describe('a trial message', () => {
  test('is posted now, and the answer says how it went', async ({ demo, send, register, newReceiver }) => {
    const receiver = await newReceiver();
    const { Id, Secreto } = await register(receiver.url);
    const setRight = setClockAhead(3_600_000); // a receiver refuses what was signed so late or early
    const { status, body } = await send(demo, 'POST', `${Id}/probar`);
    setRight();
    expect([status, body.message]).toEqual([200, 'El webhook tomo el mensaje']);
    expect(body.data).toEqual({ Tomado: true, Ms: expect.any(Number), Estatus: 204 });
    const { body: text = '', headers = {} } = receiver.received[0] ?? {};
    expect(new Official(Secreto).verify(text, headers)).toMatchObject({
      type: 'prueba',
      data: { Eventos: [] },
    });
  });

  test('is one at a time for an account, over all its webhooks and all processes', async ({
    demo,
    otro,
    send,
    register,
    newReceiver,
    secondApi,
  }) => {
    const receiver = await newReceiver();
    const arrived = Promise.withResolvers<ServerResponse>();
    receiver.answer = (response) => arrived.resolve(response);
    const [one, other] = [await register(receiver.url), await register(receiver.url)];
    const first = send(demo, 'POST', `${one.Id}/probar`);
    const response = await arrived.promise;
    const second = new Client(secondApi.url, demo.token);
    for (const [client, Id] of [
      [demo, one.Id],
      [second, one.Id],
      [second, other.Id],
    ] as const) {
      const refused = await client.post(`/api/webhooks/${Id}/probar`, {});
      expect(outcome(refused)).toEqual(TOO_MANY);
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    // Another account has its own turn, and gets no webhook of this one.
    expect(outcome(await send(otro, 'POST', `${one.Id}/probar`))).toEqual(UNKNOWN);
    response.writeHead(204).end();
    expect((await first).status).toBe(200);
    expect(receiver.received).toHaveLength(1);
  });
});

test('a new secret signs beside the one before', async ({ demo, send, register, newReceiver }) => {
  const receiver = await newReceiver();
  const { Id, Secreto } = await register(receiver.url);
  const { status, body } = await send(demo, 'POST', `${Id}/secreto`);
  expect([status, body.message]).toEqual([200, 'Secreto cambiado']);
  const renewed = (body.data as { Secreto: string }).Secreto;
  expect(body.data).toEqual({ Id, Secreto: expect.stringMatching(/^whsec_/) });
  expect(renewed).not.toBe(Secreto);
  await send(demo, 'POST', `${Id}/probar`);
  const { body: text = '', headers = {} } = receiver.received[0] ?? {};
  for (const each of [Secreto, renewed]) expect(new Official(each).verify(text, headers)).toBeTruthy();
});

describe('to activate', () => {
  test('goes on where it stopped', async ({ demo, append, register, newReceiver, webhooksOf, list }) => {
    const receiver = await newReceiver();
    const { Id } = await register(receiver.url);
    const off = { at: new Date(), reason: 'Respondio 410: ya no existe' };
    await webhooksOf.updateOne({ id: Id }, { $set: { active: false, off, lastFailure: off } });
    const last = await append(2);
    const { status, body } = await demo.post(`/api/webhooks/${Id}/activar`, {});
    expect([status, body.message]).toEqual([200, 'Webhook activado']);
    expect(body.data).toMatchObject({ Id, Activo: true, Pendientes: 2 });
    await expect.poll(async () => (await list())[0]?.Pendientes).toBe(0);
    expect(eventIds(receiver.received)).toEqual([`E${last - 1}`, `E${last}`]);
  });

  test('with a cursor repeats what comes after it', async ({ demo, append, register, newReceiver }) => {
    const last = await append(300);
    const receiver = await newReceiver();
    const { Id } = await register(receiver.url);
    let cursor = '';
    for (let left = last - 2; left > 0; left -= 500) {
      const { body } = await demo.get(
        `/api/eventos?limite=${Math.min(left, 500)}${cursor && `&cursor=${cursor}`}`,
      );
      cursor = (body as { siguiente?: string }).siguiente ?? '';
    }
    const { status } = await demo.post(`/api/webhooks/${Id}/activar`, { cursor });
    expect(status).toBe(200);
    await expect.poll(() => eventIds(receiver.received)).toEqual([`E${last - 1}`, `E${last}`]);
  });

  test('with the cursor of the last event begins with what comes next', async ({
    demo,
    append,
    register,
  }) => {
    const cursor = Buffer.from(`e${await append(1)}`).toString('base64url');
    const { Id } = await register('http://127.0.0.1:1/');
    expect((await demo.post(`/api/webhooks/${Id}/activar`, { cursor })).body.data).toMatchObject({
      ...{ Id, Pendientes: 0 },
    });
  });

  test.for([
    ['no body', {}],
    ['an empty body in pieces', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }],
  ] as const)('works with %s', async ([_, headers], { demo, register, newReceiver }) => {
    const { Id } = await register((await newReceiver()).url);
    const sent = request(`${demo.url}/api/webhooks/${Id}/activar`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.token}`, ...headers },
    });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(200);
  });

  test.for([
    [{ cursor: 'xxx' }, 'campo_formato'],
    [{ saltar: true, cursor: 'ZTE' }, 'campo_formato'],
    [{ saltar: 1 }, 'campo_tipo'],
    [{ cursor: Buffer.from('e999999').toString('base64url') }, 'campo_formato'],
    [[], 'solicitud_invalida'],
  ] as const)('%j is refused', async ([sent, codigo], { demo, register }) => {
    const { Id } = await register('http://127.0.0.1:1/');
    expect(outcome(await demo.post(`/api/webhooks/${Id}/activar`, sent))).toEqual([400, codigo]);
  });
});

test('an account has five at most, also of those at the same moment', async ({ api, send, store }) => {
  const otro = await Client.login(api.url, 'otro');
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => otro.post('/api/webhooks', { Url: 'http://127.0.0.1:1/' })),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(outcome)).toEqual(Array(7).fill([409, 'webhooks_excedidos']));
  const [first, ...others] = await store.list('otro');
  expect(others).toHaveLength(4);
  await send(otro, 'DELETE', first?.id ?? '');
  expect((await otro.post('/api/webhooks', { Url: 'http://127.0.0.1:1/' })).status).toBe(200);
});

test('another account sees and changes none', async ({ otro, demo, send, register, newReceiver, list }) => {
  const receiver = await newReceiver();
  const { Id } = await register(receiver.url);
  for (const [method, path] of [
    ['POST', `${Id}/probar`],
    ['POST', `${Id}/secreto`],
    ['POST', `${Id}/activar`],
    ['GET', Id],
    ['DELETE', Id],
    ['DELETE', 'nada'],
  ] as const) {
    expect(outcome(await send(otro, method, path))).toEqual(UNKNOWN);
  }
  expect(outcome(await otro.patch(`/api/webhooks/${Id}`, { Activo: false }))).toEqual(UNKNOWN);
  const skipped = await otro.post(`/api/webhooks/${Id}/activar`, { saltar: true });
  expect(outcome(skipped)).toEqual(UNKNOWN);
  const seen = (await otro.get('/api/webhooks')).body.data as Listed[];
  expect(seen.map((each) => each.Id)).not.toContain(Id);
  expect(await list()).toHaveLength(1);
  expect((await send(demo, 'POST', `${Id}/probar`)).status).toBe(200);
  expect(receiver.received).toHaveLength(1);
});

describe('an address', () => {
  test.for([
    ['http://tienda.example/'],
    ['https://ana:clave@tienda.example/'],
    ['https://tienda.example/#x'],
    ['https:tienda.example'],
    ['https://tienda.example/\u0000\u001b[2J'],
    ['https://tienda.example:80/'],
    ['https://127.0.0.1/'],
    ['https://10.21.0.1/'],
    ['http://10.20.0.1/'],
    ['https://[::ffff:10.0.0.1]/'],
  ])('%s is refused', async ([Url], { strict }) => {
    expect(outcome(await strict.post('/api/webhooks', { Url }))).toEqual([400, 'campo_formato']);
  });

  test.for([
    ['HTTPS://Tienda.Example:443/a?b=c', 'https://tienda.example/a?b=c'],
    ['https://tienda.example:1024/', 'https://tienda.example:1024/'],
    ['https://10.20.0.1/', 'https://10.20.0.1/'],
    ['https://año.example/', 'https://xn--ao-zja.example/'],
  ])('%s is accepted', async ([Url, stored], { strict, strictApi }) => {
    const { status, body } = await strict.post('/api/webhooks', { Url });
    const { Id, Url: answered } = body.data as { Id: string; Url: string };
    expect([status, answered]).toEqual([200, stored]);
    const headers = { authorization: `Bearer ${strict.token}` };
    await call(`${strictApi.url}/api/webhooks/${Id}`, { method: 'DELETE', headers });
  });

  const described = (Descripcion: string) => ({ Url: 'https://a.example/', Descripcion });
  test.for([
    [{}, 'campo_requerido', 'Url'],
    [{ Url: `https://a.example/${'a'.repeat(500)}` }, 'campo_largo', 'Url'],
    // As it is stored: a character that is not ASCII takes up to twelve.
    [{ Url: `https://a.example/${'😀'.repeat(41)}` }, 'campo_largo', 'Url'],
    [described('Tienda\u001b[2J'), 'campo_formato', 'Descripcion'],
    [described('a'.repeat(121)), 'campo_largo', 'Descripcion'],
    ['[]', 'solicitud_invalida', undefined],
  ] as const)('the body %j is refused', async ([sent, codigo, campo], { strict }) => {
    const { status, body } = await strict.post('/api/webhooks', sent);
    expect([status, body.codigo, body.details?.[0]?.campo]).toEqual([400, codigo, campo]);
  });
});

// Every process still has the user and the key in memory.
describe('whose access has just ended registers and changes none', () => {
  const ended = [401, 'acceso_denegado'];

  test.for([
    ['disable', [], ended],
    ['revoke', [], ended],
    ['revoke', ['webhooks.admin'], [403, 'sin_permiso']],
    ['account', ['otra-cuenta'], ended],
    ['keys end', [], ended],
  ] as const)('after %s %j', async ([command, args, refused], { api, env, store, stores }) => {
    const thief = `ladron-${randomUUID()}`;
    const account = `de-${thief}`;
    const makeUser = await userMaker(new UserStore(stores.mongo), PASSWORD);
    await makeUser(thief, { account, permissions: ['webhooks.admin'] });
    const own = { account, url: 'https://tienda.example/', description: '', cursor: 0 };
    const { id = '' } = (await store.add(own, 'whsec_x')) ?? {};
    const made = await new KeyStore(stores.mongo).create({ username: thief, name: 'tienda' }, false);
    const program = new Client(api.url, made?.text ?? '');
    const person = await Client.login(api.url, thief, PASSWORD);
    const clients = command === 'keys end' ? [program] : [person, program];
    for (const client of clients) expect((await client.get('/api/webhooks')).status).toBe(200);
    const words = command.split(' ');
    const more = command === 'keys end' ? [made?.key.id ?? ''] : args;
    expect((await runCommand(run, [...words, thief, ...more], { env })).code).toBe(0);
    for (const client of clients) {
      const send = async (method: string, path: string, body: object = {}) =>
        outcome(await client.post(`/api/webhooks${path}`, body, {}, method));
      const Url = 'https://ladron.example/';
      expect(await send('POST', '', { Url })).toEqual(refused);
      expect(await send('PATCH', `/${id}`, { Url })).toEqual(refused);
      for (const path of ['secreto', 'activar'])
        expect(await send('POST', `/${id}/${path}`)).toEqual(refused);
      expect(await send('DELETE', `/${id}`)).toEqual(refused);
    }
    expect((await store.list(account)).map((webhook) => [webhook.id, webhook.url])).toEqual([[id, own.url]]);
    expect(
      (await stores.mongo.collection<SecretsDocument>('webhookSecrets').findOne({ _id: id }))?.secrets,
    ).toHaveLength(1);
  });

  test.for([
    ['POST', 'disable', [], ended],
    ['PATCH', 'disable', [], ended],
    ['PATCH', 'revoke', ['webhooks.admin'], [403, 'sin_permiso']],
  ] as const)(
    'also by a %s that was let in before %s %j',
    async ([method, command, args, refused], { api, env, store, stores }) => {
      const thief = `ladron-${randomUUID()}`;
      const account = `de-${thief}`;
      const makeUser = await userMaker(new UserStore(stores.mongo), PASSWORD);
      await makeUser(thief, { account, permissions: ['webhooks.admin'] });
      const own = { account, url: 'https://tienda.example/', description: 'Tienda', cursor: 0 };
      const { id = '' } = (await store.add({ ...own, setBy: { username: 'ana' } }, 'whsec_x')) ?? {};
      const read = async () =>
        (await store.list(account)).map(({ id, url, description, types, setBy }) => {
          return { id, url, description, types, setBy };
        });
      const before = await read();
      const secrets = stores.mongo.collection<SecretsDocument>('webhookSecrets');
      const secretsBefore = await secrets.countDocuments();
      const person = await Client.login(api.url, thief, PASSWORD);
      const { webhooks } = api.contextOf(room);
      let listed = '';
      const end = async () => {
        listed = (await runCommand(run, [command, thief, ...args], { env })).out;
      };
      const [add, change] = [webhooks.add.bind(webhooks), webhooks.change.bind(webhooks)];
      vi.spyOn(webhooks, 'add').mockImplementation((...given) => end().then(() => add(...given)));
      vi.spyOn(webhooks, 'change').mockImplementation((...given) => end().then(() => change(...given)));
      onTestFinished(() => void vi.restoreAllMocks());
      const body = { Url: 'https://ladron.example/', Descripcion: 'x', Tipos: ['Entregado'] };
      const path = method === 'POST' ? '/api/webhooks' : `/api/webhooks/${id}`;
      expect(outcome(await person.post(path, body, {}, method))).toEqual(refused);
      expect(listed).toMatch(/^(Usuario deshabilitado|Permisos cambiados): /);
      expect(await read()).toEqual(before);
      expect(await secrets.countDocuments()).toBe(secretsBefore);
    },
  );
});

test('the trail has who changed it, and no secret', async ({ demo, send, stores, webhooksOf }) => {
  const { body } = await demo.post('/api/webhooks', { Url: 'http://127.0.0.1:1/camino?clave=x' });
  const { Id } = body.data as { Id: string };
  await send(demo, 'POST', `${Id}/secreto`);
  await send(demo, 'POST', `${Id}/activar`);
  const change = { Url: 'http://ana@127.0.0.1:2/camino?clave=x', Tipos: ['Entregado'] };
  expect((await demo.patch(`/api/webhooks/${Id}`, change)).status).toBe(400);
  change.Url = 'http://127.0.0.1:2/camino?clave=x';
  expect((await demo.patch(`/api/webhooks/${Id}`, change)).status).toBe(200);
  const failing = { through: 1, failures: 1, cursor: 0 };
  await webhooksOf.updateOne({ id: Id }, { $set: { ...failing, dueAt: new Date(Date.now() + 3_600_000) } });
  expect((await demo.post(`/api/webhooks/${Id}/activar`, { saltar: true })).status).toBe(200);
  await send(demo, 'DELETE', Id);
  const read = () =>
    stores.mongo.collection('audit').find({ 'details.webhook': Id }).sort({ _id: 1 }).toArray();
  await expect
    .poll(async () => (await read()).map(({ action }) => action))
    .toEqual(['create', 'secret', 'activate', 'change', 'skip', 'delete'].map((what) => `webhook.${what}`));
  expect(await read()).toMatchObject(Array(6).fill({ actor: 'demo', account: 'demo', outcome: 'ok' }));
  const details = (await read()).map((event) => event.details);
  expect(details[0]).toEqual({ webhook: Id, host: '127.0.0.1:1' });
  expect(details[3]).toEqual({ webhook: Id, host: '127.0.0.1:2', types: ['Entregado'] });
  expect(details[4]).toEqual({ webhook: Id, events: expect.any(Number), from: 1, to: 1 });
});
