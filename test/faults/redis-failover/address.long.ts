import { test as faultTest } from '../system/system.ts';
import { expectFollowed, silence } from './lost-primary.ts';

const test = faultTest.override('wanted', { redis: 'pair' });

test('when the primary falls silent, and its address leads to the replica, the services follow', ({
  system,
}) =>
  expectFollowed(system, 'the primary behind an address silent', async (primary) => {
    await silence(primary);
    await system.redis.failOver?.();
  }));
