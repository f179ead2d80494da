import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { Guide } from '#shared/guides/guide.ts';
import { fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/** What a client sends is never more than data: in no field, header, parameter or query. */

const test = services
  /** Counts all that is stored: a guide that appears here was let in. */
  .extend('everything', { scope: 'file' }, ({ stores }) => async () => {
    const names = ['guides', 'users', 'creations', 'branches', 'coverage'];
    const counts = await Promise.all(names.map((name) => stores.mongo.collection(name).countDocuments()));
    return Object.fromEntries(names.map((name, index) => [name, counts[index]]));
  })
  /** Sends bytes as they are. @returns the whole answer. */
  .extend('raw', { scope: 'file' }, ({ api }) => (text: string) => {
    return new Promise<string>((resolve, reject) => {
      let answer = '';
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.end(text, 'latin1'));
      socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
      socket.setEncoding('latin1').on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('end', () => resolve(answer)).on('error', reject);
    });
  });

/** `Remitente.Nombre` and so on: every field of every section that the schema knows, so that a new one is tried too. */
const FIELDS = Object.entries(Guide.properties).flatMap(([section, schema]) =>
  'properties' in schema ? Object.keys(schema.properties).map((name) => [section, name] as const) : [],
);

/** The place in a list, behind the name of its field. */
const ELEMENT = /\.\d+$/;

/** A full guide with one field replaced. */
function guideWith(section: string, name: string, value: unknown): unknown {
  const guide: Record<string, unknown> = fullGuide();
  return { ...guide, [section]: { ...(guide[section] as object), [name]: value } };
}

describe('query operators', () => {
  const OPERATORS: object[] = [
    { $gt: '!' },
    { $ne: 1 },
    { $regex: '.*' },
    { $where: 'sleep(5000) || true' },
    { $expr: { $function: { body: 'function(){return true}', args: [], lang: 'js' } } },
    [{ $gt: '!' }],
  ];

  test('are refused in every field with its name, and nothing is stored', async ({ demo, everything }) => {
    expect(FIELDS.length).toBeGreaterThan(25);
    const before = await everything();
    for (const [section, name] of FIELDS) {
      const { status, body } = await demo.create(
        OPERATORS.map((operator) => guideWith(section, name, operator)),
      );
      expect([`${section}.${name}`, status]).toEqual([`${section}.${name}`, 400]);
      expect(body.details?.map(({ indice, campo }) => [indice, campo?.replace(ELEMENT, '')])).toEqual(
        OPERATORS.map((_, indice) => [indice, `${section}.${name}`]),
      );
    }
    expect(await everything()).toEqual(before);
  });

  test('as an Idempotency-Key are an ordinary key', async ({ demo }) => {
    const key = '{"$gt":""}';
    const create = (body: unknown) => demo.post('/api/guias/crear', body, { 'idempotency-key': key });
    const body = { TipoServicio: 'Domicilio', Guia: [minimalGuide()] };
    await demo.post('/api/guias/crear', body, { 'idempotency-key': 'another' });
    const first = await create(body);
    expect(first.status).toBe(200);
    expect((await create(body)).body).toEqual(first.body);
  });
});

describe('hostile text in a path or a query', () => {
  const HOSTILE = [
    '{"$gt":""}',
    '.*',
    '(a+)+$',
    '../../../etc/passwd',
    "06600' || '1'=='1",
    '06600\u0000',
    '06600\r\nSet-Cookie: a=b',
    '__proto__',
    'constructor',
    'cp:06600',
    'version',
  ];
  const PATHS = [
    '/api/sucursales/cobertura/',
    '/api/guias/validar-destino/',
    '/api/guias/etiqueta/',
    '/api/guias/etiqueta-pequena/',
    '/api/guias/etiqueta-10x15/',
  ];

  test.for(HOSTILE)('%j is not found', async (text, { demo }) => {
    for (const path of PATHS) {
      const answer = await demo.get(path + encodeURIComponent(text));
      expect([path, answer.status, answer.body.response]).toEqual([path, 404, 'ERROR']);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  test('finds no guide as a number of a file either, nor does an operator', async ({ demo }) => {
    const file = (Guias: unknown[]) => demo.post('/api/guias/etiquetas', { Guias, Tipo: 'carta' });
    const { status, body } = await file(HOSTILE);
    expect([status, body.details?.length]).toEqual([404, HOSTILE.length]);
    for (const operator of [{ $gt: '' }, { $in: ['390458235877'] }, ['390458235877']]) {
      const refused = await file([operator]);
      expect([refused.status, refused.body.codigo]).toEqual([400, 'campo_tipo']);
    }
  });
});

describe('prototype pollution', () => {
  const POLLUTING = ['"__proto__":{"x":1}', '"\\u005f_proto__":{"x":1}'];
  const guide = JSON.stringify(fullGuide());
  /** The key in the body, in the guide, and in each section of it. */
  const bodies = (key: string) => [
    `{${key},"TipoServicio":"Domicilio","Guia":[${guide}]}`,
    `{"TipoServicio":"Domicilio","Guia":[${guide.replace('{', `{${key},`)}]}`,
    ...[...new Set(FIELDS.map(([section]) => section))].map(
      (section) =>
        `{"TipoServicio":"Domicilio","Guia":[${guide.replace(`"${section}":{`, `"${section}":{${key},`)}]}`,
    ),
  ];

  test.for(POLLUTING)('by %s is refused at every depth', async (key, { demo, everything }) => {
    const before = await everything();
    for (const body of bodies(key)) {
      const answer = await demo.post('/api/guias/crear', body);
      expect([answer.status, answer.body.codigo]).toEqual([400, 'campo_desconocido']);
      expect(answer.body.details?.[0]?.campo).toMatch(/^(\w+\.)?__proto__$/);
    }
    expect(await everything()).toEqual(before);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe('line breaks', () => {
  test.for(['\r', '\n', '\u0000', '\u0007'])('%j in a header is refused', async (character, { raw }) => {
    for (const header of ['X-Request-Id', 'Idempotency-Key', 'If-None-Match', 'Origin', 'Authorization']) {
      const answer = await raw(
        `GET /api/sucursales HTTP/1.1\r\nHost: x\r\n${header}: a${character}Injected: b\r\nConnection: close\r\n\r\n`,
      );
      // A bare line feed ends a header for some parsers: then it is the client's own next header, and none of ours.
      expect(answer).toMatch(/^HTTP\/1\.1 40[01] /);
      expect(answer).not.toMatch(/^injected:/im);
    }
  });

  test('cannot split a request in two', async ({ raw }) => {
    const answer = await raw(
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n' +
        '0\r\n\r\nGET /api/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(answer).not.toContain('openapi');
  });
});
