import { describe, expect } from 'vitest';
import { Client, call } from '#test/fixtures/client.ts';
import { printingTest as services } from '#test/fixtures/services.ts';

/** What browsers are told to do with our answers, and what no answer tells anybody. */

const DATA_HEADERS = {
  'content-security-policy': "base-uri 'none';form-action 'none';frame-ancestors 'none';default-src 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-xss-protection': '0',
};

type Ask = (url: string, token: string) => Promise<Response>;
const get =
  (path: string, headers: Record<string, string> = {}): Ask =>
  (url, token) =>
    fetch(url + path, { headers: { authorization: `Bearer ${token}`, ...headers } });
const post =
  (path: string, body: string, headers: Record<string, string> = {}): Ask =>
  (url, token) =>
    fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body,
    });
/** Every way in which the API refuses, by its status. */
const REFUSALS: [number, string, Ask][] = [
  [400, 'a wrong guide', post('/api/guias/crear', '{"TipoServicio":"Domicilio","Guia":[{"a":1}]}')],
  [401, 'a token that is none', get('/api/sucursales', { authorization: 'Bearer a.b.c' })],
  [403, 'no permission', asReader],
  [405, 'another method', (url) => fetch(`${url}/api/sucursales`, { method: 'DELETE' })],
  [413, 'too large a body', post('/api/guias/crear', `"${'x'.repeat(4 * 1024 * 1024)}"`)],
  [
    500,
    'what nobody foresaw',
    post('/api/auth/login', '', { 'x-username': 'lectura', 'x-password': 'demo1234' }),
  ],
];

/** `operaciones` may read only. */
async function asReader(url: string): Promise<Response> {
  const { token } = await Client.login(url, 'operaciones');
  return post('/api/guias/crear', '{}')(url, token);
}

/** The security headers of an answer. */
function securityHeaders(headers: Headers): Record<string, string | null> {
  return Object.fromEntries(Object.keys(DATA_HEADERS).map((name) => [name, headers.get(name)]));
}

const ALLOWED = 'http://tienda.example';

const test = services
  /** The api, which fails to log `lectura` in as nobody foresaw: the hash of the password is none. */
  .extend('faulty', { scope: 'file' }, async ({ api, stores }) => {
    await stores.mongo
      .collection<{ _id: string }>('users')
      .updateOne({ _id: 'lectura' }, { $set: { passwordHash: 'broken' } });
    return api;
  })
  /** An api whose answers pages of one origin may read. */
  .extend('open', { scope: 'file' }, ({ startApi }) => startApi({ CORS_ORIGINS: ALLOWED }));

describe('an answer of the API', () => {
  test.for([
    ['the OpenAPI document', 200, '/api/openapi.json'],
    ['a chapter in Markdown', 200, '/api/docs/campos.md'],
    ['metrics', 200, '/metrics'],
    ['a label', 200, '/api/guias/etiqueta/{guia}'],
  ] as const)('that is %s has them too', async ([_, status, path], { demo, number }) => {
    const { status: answered, headers } = await demo.pdf(path.replace('{guia}', number));
    expect([answered, securityHeaders(headers)]).toEqual([status, DATA_HEADERS]);
  });

  test('that is the page to try requests runs one script of ours, asks this API, and shows labels', async ({
    api,
  }) => {
    const { headers } = await fetch(`${api.url}/api/docs/probar`);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'self'; " +
        "frame-ancestors 'none'; script-src 'self'; connect-src 'self'; object-src blob:; frame-src blob:",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

test.for(['branches', 'label-worker'])(
  'an answer of the service %s has the security headers of data',
  async (name, { branches, labelWorker }) => {
    const { server } = name === 'branches' ? branches : labelWorker;
    const answers = await Promise.all(
      ['/health/live', '/metrics', '/nada', '/internal/branches'].map((url) => server.inject({ url })),
    );
    for (const answer of answers) {
      expect(answer.headers).toMatchObject(DATA_HEADERS);
      expect(answer.headers).not.toHaveProperty('server');
    }
  },
);

describe('no refusal reveals the implementation, and each has the security headers of data', () => {
  const INSIDE =
    /node_modules|\bat .*[:(]\d|\.[jt]s\b|stack|\w(Error|Exception)\b|fastify|mongo|redis|bull|chromium|puppeteer|argon|node\b|127\.0\.0\.1/i;

  test.for(REFUSALS)('%i for %s', async ([status, what, ask], { demo, faulty }) => {
    const response = await ask(faulty.url, demo.token);
    const text = await response.text();
    expect(response.status).toBe(status);
    expect(Object.keys(JSON.parse(text)).toSorted()).toEqual(
      expect.arrayContaining(['message', 'requestId', 'response']),
    );
    expect(text).not.toMatch(INSIDE);
    expect([...response.headers].join('\n')).not.toMatch(INSIDE);
    if (what !== 'a wrong path') expect(securityHeaders(response.headers)).toEqual(DATA_HEADERS);
    for (const name of ['server', 'x-powered-by', 'via']) expect(response.headers.get(name)).toBeNull();
  });
});

describe('pages of other origins', () => {
  const STRANGER = 'http://otra.example';
  const PREFLIGHT = {
    method: 'OPTIONS',
    headers: {
      origin: ALLOWED,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,idempotency-key,prefer',
    },
  };
  const corsHeaders = (headers: Headers) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

  test('get no CORS headers where no origin is configured', async ({ api }) => {
    const { status, headers } = await call(`${api.url}/api/sucursales`, { headers: { origin: ALLOWED } });
    expect([status, corsHeaders(headers)]).toEqual([401, {}]);
    const preflight = await call(`${api.url}/api/guias/crear`, PREFLIGHT);
    expect([preflight.status, corsHeaders(preflight.headers)]).toEqual([405, {}]);
  });

  describe('where an origin is configured', () => {
    test('the preflight of its pages is answered without a token', async ({ open }) => {
      const { status, headers } = await fetch(`${open.url}/api/guias/crear`, PREFLIGHT);
      expect(status).toBe(204);
      expect(corsHeaders(headers)).toEqual({
        'access-control-allow-origin': ALLOWED,
        'access-control-allow-methods': 'GET,HEAD,POST',
        'access-control-allow-headers': 'authorization,idempotency-key,prefer',
        'access-control-expose-headers':
          'Content-Disposition, ETag, Idempotent-Replayed, Preference-Applied, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy',
        'access-control-max-age': '600',
      });
    });

    test.for([
      STRANGER,
      'null',
      'http://tienda.example.otra',
      'https://tienda.example',
      'http://TIENDA.example',
    ])('%s is another origin and may read nothing', async (stranger, { open }) => {
      const headers = { ...PREFLIGHT.headers, origin: stranger };
      for (const init of [{ ...PREFLIGHT, headers }, { headers: { origin: stranger } }]) {
        const answer = await fetch(`${open.url}/api/openapi.json`, init);
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
        expect(answer.headers.get('vary')).toContain('Origin');
      }
    });
  });
});
