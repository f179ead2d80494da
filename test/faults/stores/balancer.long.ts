import { expect } from 'vitest';
import { Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { startHttpBalancer } from '../system/http-balancer.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

/** What clients see through a balancer that sends requests to ready processes only. */
const test = faultTest
  .override('wanted', { own: ['redis', 'mongo'], count: { api: 2 } })
  .extend('balancer', { scope: 'file' }, async ({ system }, { onCleanup }) => {
    const balancer = await startHttpBalancer(system.apis.map(({ url }) => url));
    onCleanup(balancer.close);
    return balancer;
  });

/** Long enough for the balancer to take out a process that is not ready, in ms. */
const OUTAGE = 3_000;

const STORES = [
  {
    name: 'redis',
    dependency: 'redis',
    login: { response: 'OK', message: 'Login exitoso' },
    retryAfter: null,
  },
  {
    name: 'mongo',
    dependency: 'mongodb',
    login: { response: 'ERROR', message: 'Servicio no disponible, intente de nuevo' },
    retryAfter: '2',
  },
] as const;

test.for(STORES)(
  'while $name is away, clients get our answers and not the balancer’s, no process is taken out, and then all is served again',
  async ({ name, dependency, login, retryAfter }, { balancer, system }) => {
    const store = system[name].part as Part;
    const demo = await Client.login(balancer.url);
    expect((await demo.create([minimalGuide()])).status).toBe(200);
    await store.kill();
    try {
      for (const end = performance.now() + OUTAGE; performance.now() < end; ) {
        const answer = await call(`${balancer.url}/api/auth/login`, {
          method: 'POST',
          headers: { 'x-username': 'demo', 'x-password': 'demo1234' },
        });
        expect(answer).toMatchObject({ body: login });
        expect(answer.headers.get('retry-after')).toBe(retryAfter);
      }
      const health = await call(`${system.apis[0]?.url}/health/ready`);
      expect(health).toMatchObject({ status: 200, body: { status: 'degraded', [dependency]: 'down' } });
    } finally {
      await store.start();
    }
    expect(balancer.removals()).toBe(0);
    for (const { url } of system.apis) {
      await expect
        .poll(async () => (await call(`${url}/health/ready`)).body)
        .toMatchObject({ [dependency]: 'ok' });
    }
    await expect.poll(async () => (await demo.create([minimalGuide()])).status).toBe(200);
  },
);
