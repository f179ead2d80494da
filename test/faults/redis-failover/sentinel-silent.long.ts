import { test as faultTest } from '../system/system.ts';
import { expectFollowed, silence } from './lost-primary.ts';

const test = faultTest.override('wanted', { redis: 'sentinel' });

test('when the primary falls silent, its sentinels elect another, and the services follow', ({ system }) =>
  expectFollowed(system, 'the primary of three sentinels falls silent', silence));
