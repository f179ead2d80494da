import { underLoad } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest
  .override('wanted', { own: ['redis'] })
  .extend('redis', { scope: 'file' }, ({ system }) => system.redis.part as Part);

test('while Redis is killed and restarted, clients get 503, then creations and the queue recover', async ({
  redis,
  system,
}) => {
  await underLoad(system, 'kill -9 of Redis, started again', [503], async (load) => {
    await redis.kill();
    await load.waitForStatus('create', 503, 20);
    await redis.start();
    return { from: performance.now() };
  });
});
