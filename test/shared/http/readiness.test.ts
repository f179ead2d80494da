import { expect, onTestFinished, test } from 'vitest';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { RefusesUs } from '#shared/stores/dependencies.ts';

const log = createLogger('test', 'silent');
const ANSWERS = {
  ok: async () => {},
  refused: () => Promise.reject(new RefusesUs('401')),
  down: () => Promise.reject(new Error('gone')),
};

test.for([
  { branches: 'ok', webhooks: 'refused', is: 'degraded' },
  { branches: 'refused', webhooks: 'ok', is: 'degraded' },
  { branches: 'down', webhooks: 'ok', is: 'degraded' },
  { branches: 'refused', webhooks: 'refused', is: 'down' },
  { branches: 'refused', webhooks: 'down', is: 'down' },
] as const)(
  'while branches is $branches and webhooks is $webhooks, the api is $is',
  async ({ is, ...states }) => {
    const server = await buildHttpServer({ log }, async ({ dependencies }) => {
      for (const [name, state] of Object.entries(states))
        dependencies.set(name, { check: ANSWERS[state], required: false, secret: 'INTERNAL_TOKEN' });
    });
    onTestFinished(() => server.close());
    await server.ready();
    await server.startup.done;
    const answer = await server.inject('/health/ready');
    expect([answer.statusCode, answer.json()]).toEqual([
      is === 'down' ? 503 : 200,
      { status: is, ...states },
    ]);
  },
);
