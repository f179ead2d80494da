import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { UserStore } from '#shared/accounts/user-store.ts';
import { PERMISSIONS } from '#shared/rooms.ts';
import { type Answer, Client, fullGuide } from '#test/fixtures/client.ts';
import { DEADLINE_MS } from '#test/fixtures/deadline.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { test } from '#test/fixtures/services.ts';

const raw = (text: string) => `{"TipoServicio":"Domicilio","Guia":[${text}]}`;
const guide = (text: string) =>
  raw(
    `{"Remitente":{"Nombre":"Ana"},"Destinatario":{"Nombre":"Luis","CodigoPostal":"06600"${text}},"Producto":{"Contenido":"x"},"Creado_por":{}}`,
  );
const keys = (count: number) => Array.from({ length: count }, (_, i) => `"f${i}":1`).join();
/** 500 guides whose fields are empty arrays. */
const wrongGuides = () =>
  Array.from({ length: 500 }, () => JSON.stringify(fullGuide()).replace(/:("[^"]*"|[\d.]+)/g, ':[]')).join();
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a hostile body gets a 4xx with a reason and creates nothing', () => {
  test.for<[string, string | Uint8Array, number, string]>([
    ['deep nesting', deep(35_000), 400, 'guia_array_faltante'],
    ['deeper nesting', deep(2_000_000), 413, 'cuerpo_muy_grande'],
    ['200 000 unknown keys', guide(`,${keys(200_000)}`), 413, 'cuerpo_muy_grande'],
    ['every field of 500 guides of a wrong type', raw(wrongGuides()), 400, ''],
    ['a key of 4 MiB', guide(`,"${'k'.repeat(4 * 2 ** 20 - 1_000)}":1`), 400, ''],
    ['an e-mail of 4 MiB', guide(`,"Email":"a@${'a-'.repeat(2 * 2 ** 20 - 1_000)}"`), 400, ''],
    ['a phone with 4 MiB of blanks', guide(`,"Telefono":"1${' '.repeat(4 * 2 ** 20 - 1_000)}x"`), 400, ''],
    [
      'a number of a million digits',
      guide('').replace('"Contenido":"x"', `"Contenido":"x","Peso":${'9'.repeat(1_000_000)}`),
      400,
      '',
    ],
    ['a lone surrogate', guide(',"Calle":"\\ud800"'), 400, ''],
    ['a byte order mark and rubbish', '\ufeff{', 400, 'cuerpo_no_json'],
  ])('%s', async ([_, body, status, codigo], { api, demo, stores }) => {
    const before = await stores.mongo.collection('guides').countDocuments();
    const response = await fetch(`${api.url}/api/guias/crear`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const answer = (await response.json()) as Answer['body'];
    expect(response.status).toBe(status);
    expect(answer.response).toBe('ERROR');
    expect(answer.details?.length ?? 0).toBeLessThanOrEqual(50);
    expect(JSON.stringify(answer).length).toBeLessThan(20_000);
    if (codigo) expect(answer.codigo).toBe(codigo);
    else expect(answer.details?.[0]).toMatchObject({ indice: 0 });
    expect(await stores.mongo.collection('guides').countDocuments()).toBe(before);
  });

  test('the last of two equal keys counts, as in every JSON parser', async ({ demo }) => {
    const { body } = await demo.post('/api/guias/crear', guide(',"CodigoPostal":"64000"'));
    expect(body.data).toMatchObject([{ SEND_SUCU_DEST: 'MTY01' }]);
  });
});

test('no answer to an odd field shows the words of a program', { timeout: 240_000 }, async ({
  api,
  stores,
}) => {
  const newUser = await userMaker(new UserStore(stores.mongo), 'una clave larga');
  const more = { originBranch: 'MEX01', permissions: [...PERMISSIONS], test: true };
  await newUser('extrana', more);
  const client = await Client.login(api.url, 'extrana', 'una clave larga');
  const [guide] = await client.created(fullGuide());
  const document = await (await fetch(`${api.url}/api/openapi.json`)).json();
  const { paths } = document as { paths: Record<string, { post?: Documented }> };
  const shown: unknown[] = [];
  const tried = new Set<string>();
  for (const [path, { post }] of Object.entries(paths)) {
    const content = post?.requestBody?.content['application/json'];
    if (path.startsWith('/api/auth/') || !content) continue;
    const bodies = Object.values(content.examples ?? {}).map(({ value }) => value);
    for (const [where, odd] of bodies.flatMap((body) => oddBodies(body, path))) {
      if (tried.size === tried.add(where).size) continue; // another example has the same field
      const answer = await client.post(path.replace('{guia}', guide?.SEND_GUIA ?? ''), odd);
      if (!/undefined|NaN|\[object/.test(JSON.stringify(answer.body)) && answer.status < 500) continue;
      shown.push([path, odd, answer.body.message]);
    }
  }
  expect(shown).toEqual([]);
});

type Documented = {
  requestBody?: { content: Record<string, { examples?: Record<string, { value: unknown }> }> };
};

/** Returns copies of a body, in each of which one value is odd, and which one it is. */
function oddBodies(body: unknown, where: string): [where: string, odd: unknown][] {
  const odd = [' ', null, [], {}, [' '], -1, true].map((value): [string, unknown] => [
    `${where} ${JSON.stringify(value)}`,
    value,
  ]);
  if (typeof body !== 'object' || body === null) return odd;
  const parts = Object.entries(body).flatMap(([name, value]) =>
    oddBodies(value, `${where}/${Array.isArray(body) ? '' : name}`).map(
      ([place, part]): [string, unknown] => [place, Array.isArray(body) ? [part] : { ...body, [name]: part }],
    ),
  );
  return [...odd, ...parts];
}

test('a path that cannot be decoded, and a body of another type, are refused', async ({ demo }) => {
  expect((await demo.get('/api/guias/etiqueta/%E0%A4%A')).status).toBe(400);
  const { status, body } = await demo.post('/api/guias/crear', 'Guia=1', { 'content-type': 'text/plain' });
  expect([status, body.codigo]).toEqual([415, 'tipo_de_contenido']);
});

test.for([
  ['sucursales/cobertura/6600', 'cp', 'debe tener 5 digitos, tambien los ceros del principio'],
  ['guias/validar-destino/MEX-01', 'code', 'debe tener de 2 a 20 letras A-Z o digitos'],
  ['guias/390458235870', 'guia', 'debe ser un numero de guia: 12 digitos, el ultimo de control'],
  ['guias/39045/eventos', 'guia', 'debe ser un numero de guia: 12 digitos, el ultimo de control'],
  ['guias/etiqueta/x', 'guia', 'debe ser un numero de guia: 12 digitos, el ultimo de control'],
])('/api/%s is 404, and says what %s must be', async ([path, campo, regla], { demo }) => {
  const { status, body } = await demo.get(`/api/${path}`);
  const { codigo, message } = body;
  expect([status, body.details]).toEqual([404, [{ campo, codigo, message, regla }]]);
});

describe('a hostile request head', () => {
  test('of ten kilobytes', async ({ demo }) => {
    const { status, body } = await demo.get('/api/sucursales', { 'x-rubbish': 'x'.repeat(10_000) });
    expect(status).toBe(431);
    expect(body).toMatchObject({ response: 'ERROR', codigo: 'headers_muy_grandes' });
  });

  const rest = 'Connection: close\r\n\r\n';
  test.for<[what: string, head: string, status: string, message?: string]>([
    ['that is not HTTP', 'hola\r\n\r\n', '400 Bad Request'],
    ['without Host', `GET /api/docs HTTP/1.1\r\n${rest}`, '400 Bad Request'],
    ['with two Host', `GET /api/docs HTTP/1.1\r\nHost: x\r\nHost: y\r\n${rest}`, '400 Bad Request'],
    [
      'with an expectation that is none of ours',
      `GET /api/docs HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n${rest}`,
      '417 Expectation Failed',
      'Expect solo acepta: 100-continue',
    ],
  ])('%s', async ([_, head, status, message = 'Solicitud invalida'], { api }) => {
    const answer = await exchange(api.url, head);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n`));
    const body = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
    const requestId = expect.any(String);
    expect(body).toEqual({ response: 'ERROR', message, codigo: 'solicitud_invalida', requestId });
    expect(answer.toLowerCase()).toContain(`x-request-id: ${body.requestId}`);
  });

  test('that expects 100-continue is served, as is one of HTTP/1.0 without Host', async ({ api }) => {
    const login = ['POST /api/auth/login HTTP/1.1', 'Host: x', 'X-Username: demo', 'X-Password: demo1234'];
    const rest = ['Expect: 100-continue', 'Content-Length: 2', 'Connection: close', '', '{}'];
    const answer = await exchange(api.url, [...login, ...rest].join('\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(await exchange(api.url, 'GET /api/docs HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

/** Sends bytes over a connection of their own. @returns all that comes back until the other side ends it. */
function exchange(url: string, bytes: string): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

describe('every answer', () => {
  test("carries the caller's request id where it is safe", async ({ demo }) => {
    const { headers, body } = await demo.get('/api/nada', { 'x-request-id': 'pedido-7.a_B' });
    expect(headers.get('x-request-id')).toBe('pedido-7.a_B');
    expect(body.requestId).toBe('pedido-7.a_B');
  });

  test.for(['a b', 'x'.repeat(65), '{"a":1}'])('carries a new id in place of %j', async (id, { demo }) => {
    const { headers, body } = await demo.get('/api/nada', { 'x-request-id': id });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.requestId).toBe(headers.get('x-request-id'));
  });
});
