import { expect, onTestFinished, test } from 'vitest';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { type Dependency, RefusesUs, RefusesWrites } from '#shared/stores/dependencies.ts';

const log = createLogger('test', 'silent');
const ANSWERS = {
  ok: async () => {},
  refused: () => Promise.reject(new RefusesUs('401')),
  'read-only': () => Promise.reject(new RefusesWrites('no majority')),
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

type State = keyof typeof ANSWERS;
const STORE = { required: true } as const;

test.for<{ name: string; kind: Omit<Dependency, 'check'>; states: State[]; statuses: string[] }>([
  {
    name: 'a store that refuses writes at the start, and later does not answer',
    kind: STORE,
    states: ['read-only', 'down', 'ok'],
    statuses: ['200 degraded', '200 degraded', '200 ok'],
  },
  {
    name: 'a store that does not answer at the start, and goes later',
    kind: STORE,
    states: ['down', 'refused', 'ok', 'down', 'refused'],
    statuses: ['503 down', '503 down', '200 ok', '200 degraded', '200 degraded'],
  },
  {
    name: 'what only this process lacks',
    kind: { required: true, own: true },
    states: ['down', 'ok', 'down', 'ok'],
    statuses: ['503 down', '200 ok', '503 down', '200 ok'],
  },
  {
    name: 'what it starts without',
    kind: { required: false },
    states: ['down', 'ok', 'read-only'],
    statuses: ['200 degraded', '200 ok', '200 degraded'],
  },
])('$name decides whether a process is ready', async ({ kind, states, statuses }) => {
  let state: State = 'ok';
  const server = await buildHttpServer({ log }, async ({ dependencies }) => {
    dependencies.set('mongodb', { check: () => ANSWERS[state](), ...kind });
  });
  onTestFinished(() => server.close());
  await server.ready();
  await server.startup.done;
  const answers: string[] = [];
  for (state of states) {
    const { statusCode, body } = await server.inject('/health/ready');
    answers.push(`${statusCode} ${JSON.parse(body).status}`);
    expect(JSON.parse(body).mongodb).toBe(state);
  }
  expect(answers).toEqual(statuses);
});
