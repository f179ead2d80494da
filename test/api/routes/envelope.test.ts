import { describe, expect } from 'vitest';
import { Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { test } from '#test/fixtures/services.ts';

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

  test('of success carries an id too', async ({ demo }) => {
    expect((await demo.create([minimalGuide()])).headers.get('x-request-id')).toBeTruthy();
  });
});

describe('a request that is refused before any business rule', () => {
  test('has an unknown path', async ({ api }) => {
    const { status, body } = await call(`${api.url}/api/nada`);
    expect(status).toBe(404);
    expect(body).toEqual({
      response: 'ERROR',
      message: 'Recurso no encontrado',
      codigo: 'recurso_no_encontrado',
      requestId: expect.any(String),
    });
  });

  test.for([3, 101, 2_000])(
    'has another method on a known path, of a number of %i digits',
    async (digits, { api }) => {
      const { status, headers, body } = await call(`${api.url}/api/guias/etiqueta/${'1'.repeat(digits)}`, {
        method: 'DELETE',
      });
      expect(status).toBe(405);
      expect(headers.get('allow')).toBe('GET, HEAD');
      expect(body.message).toBe('Metodo no permitido');
    },
  );

  test.for([
    ['/api/nada', 404, 'Recurso no encontrado'],
    ['/api/sucursales', 405, 'Metodo no permitido'],
    ['/health/live', 405, 'Metodo no permitido'],
  ] as const)(
    'has a body that no route takes, which nobody parses: %s',
    async ([path, ...expected], { api }) => {
      for (const body of ['{"Guia":', '', JSON.stringify({ Guia: 'x'.repeat(4 * 1024 * 1024) })]) {
        const headers = { 'content-type': 'application/json' };
        const answer = await call(`${api.url}${path}`, { method: 'POST', headers, body });
        expect([answer.status, answer.body.message]).toEqual(expected);
      }
    },
  );

  test.for([
    ['not JSON', 400, 'El cuerpo de la solicitud no es JSON valido', '{"Guia":', 'application/json'],
    ['empty', 400, 'El cuerpo de la solicitud no es JSON valido', '', 'application/json'],
    [
      'with __proto__',
      400,
      'El cuerpo de la solicitud no es JSON valido',
      '{"__proto__":{}}',
      'application/json',
    ],
    ['of another type', 415, 'El Content-Type debe ser application/json', 'Guia=1', 'text/plain'],
    [
      'over 4 MiB',
      413,
      'El cuerpo de la solicitud excede el limite de 4 MiB',
      JSON.stringify({ Guia: 'x'.repeat(4 * 1024 * 1024) }),
      'application/json',
    ],
  ] as const)('has a body that is %s', async ([_, status, message, body, type], { demo }) => {
    const answer = await demo.post('/api/guias/crear', body, { 'content-type': type });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ response: 'ERROR', message });
  });
});

describe('while branches is down', () => {
  test('creation is answered with 503 and Retry-After', async ({ startApi, startBranches }) => {
    const away = await startBranches();
    const api = await startApi({ BRANCHES_URL: away.url });
    const user = await Client.login(api.url);
    await away.server.close();
    const { status, headers, body } = await user.create([minimalGuide()]);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('2');
    expect(body.message).toBe('Servicio no disponible, intente de nuevo');
  });
});

describe('health', () => {
  test('reports the process live and ready', async ({ api }) => {
    expect((await call(`${api.url}/health/live`)).status).toBe(200);
    expect((await call(`${api.url}/health/ready`)).body).toEqual({
      status: 'ok',
      mongodb: 'ok',
      redis: 'ok',
    });
  });
});
