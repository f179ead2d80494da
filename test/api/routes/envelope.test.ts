import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { startServices } from '#test/fixtures/services.ts';

let system: Awaited<ReturnType<typeof startServices>>;
let demo: Client;
beforeAll(async () => {
  system = await startServices();
  demo = await Client.login(system.url);
});
afterAll(() => system.close());

describe('every answer', () => {
  it("carries the caller's request id where it is harmless", async () => {
    const { headers, body } = await demo.get('/api/nada', { 'x-request-id': 'pedido-7.a_B' });
    expect(headers.get('x-request-id')).toBe('pedido-7.a_B');
    expect(body.requestId).toBe('pedido-7.a_B');
  });

  it.each([['a b'], ['x'.repeat(65)], ['{"a":1}']])('carries a new id in place of %j', async (id) => {
    const { headers, body } = await demo.get('/api/nada', { 'x-request-id': id });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.requestId).toBe(headers.get('x-request-id'));
  });

  it('also of success carries an id', async () => {
    expect((await demo.create([minimalGuide()])).headers.get('x-request-id')).toBeTruthy();
  });
});

describe('what is refused before any rule of the business', () => {
  it('an unknown path', async () => {
    const { status, body } = await call(`${system.url}/api/nada`);
    expect(status).toBe(404);
    expect(body).toEqual({
      response: 'ERROR',
      message: 'Recurso no encontrado',
      requestId: expect.any(String),
    });
  });

  it('another method on a known path', async () => {
    const { status, headers, body } = await call(`${system.url}/api/guias/etiqueta/123`, {
      method: 'DELETE',
    });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD');
    expect(body.message).toBe('Metodo no permitido');
  });

  it.each([
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
  ])('a body that is %s', async (_, status, message, body, type) => {
    const answer = await demo.post('/api/guias/crear', body, { 'content-type': type });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ response: 'ERROR', message });
  });
});

describe('when a service that is needed is away', () => {
  it('creation answers 503 with Retry-After', async () => {
    const other = await startServices();
    try {
      const user = await Client.login(other.url);
      await other.branches.close();
      const { status, headers, body } = await user.create([minimalGuide()]);
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('2');
      expect(body.message).toBe('Servicio no disponible, intente de nuevo');
    } finally {
      await other.close();
    }
  });
});

describe('health', () => {
  it('says that the process lives, and that it is ready', async () => {
    expect((await call(`${system.url}/health/live`)).status).toBe(200);
    expect((await call(`${system.url}/health/ready`)).body).toEqual({
      status: 'ok',
      mongodb: 'ok',
      redis: 'ok',
    });
  });
});
