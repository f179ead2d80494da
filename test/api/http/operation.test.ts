import { Type } from 'typebox';
import { test as base, describe, expect } from 'vitest';
import { authorize } from '#services/api/accounts/hooks/authorize.ts';
import { operation } from '#services/api/http/operation.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';

const querystring = Type.Object({ limite: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) });
const plain = {
  id: 'prueba',
  tag: 'Guias',
  action: 'read',
  summary: 'Prueba',
  request: { querystring },
} as const;
const data = {
  name: 'Prueba',
  message: 'Hecho',
  schema: Type.Object({ limite: Type.Integer() }),
  example: { limite: 1 },
};

const test = base.extend('server', { scope: 'file' }, async ({}, { onCleanup }) => {
  const server = await buildHttpServer({ log: createLogger('api', 'silent') }, async (server) => {
    const validated = operation({ ...plain, data });
    server.get('/validated', validated, async ({ query }) => validated.ok({ limite: query.limite ?? 0 }));
    const body = Type.Object({ nombre: Type.String() });
    const byHandler = operation({ ...plain, request: { ...plain.request, body }, validatedBy: 'handler' });
    server.post('/by-handler', byHandler, async ({ body }) => ({ seen: body }));
  });
  onCleanup(() => server.close());
  return server;
});

describe('a route', () => {
  test.for([
    ['', 0],
    ['?limite=7', 7],
    ['?limite=007', 7],
    ['?limite=500', 500],
  ] as const)('reads the integer of %j', async ([query, limite], { server }) => {
    const answer = await server.inject(`/validated${query}`);
    expect(answer.json()).toEqual({ response: 'OK', message: 'Hecho', data: { limite } });
  });

  test.for(['0', '501', '0007', '-1', '1.0', '0x5', '%205', '', '1&limite=2'])(
    'refuses limite=%s without a line of its own',
    async (limite, { server }) => {
      const answer = await server.inject(`/validated?limite=${limite}`);
      const problem = { codigo: 'parametro_invalido' };
      expect([answer.statusCode, answer.json()]).toMatchObject([
        400,
        { ...problem, details: [{ campo: 'limite', ...problem }] },
      ]);
    },
  );

  test('whose handler validates is refused before for its parameters only', async ({ server }) => {
    const post = (url: string) => server.inject({ method: 'POST', url, payload: { nombre: 1 } });
    expect((await post('/by-handler')).json()).toEqual({ seen: { nombre: 1 } });
    expect((await post('/by-handler?limite=x')).json()).toMatchObject({ codigo: 'parametro_invalido' });
  });

  test('that names no permission does not start where one is demanded', async () => {
    const start = buildHttpServer({ log: createLogger('api', 'silent') }, async (server) => {
      server.register(async (authenticated) => {
        // `authorize` wants the plugin before it, which this test does without.
        await authorize(authenticated);
        authenticated.get('/open', async () => 'open');
      });
      await server.ready();
    });
    await expect(start).rejects.toThrow('/open names no permission');
  });
});
