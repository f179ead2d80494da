import { test as faultTest } from '../system/system.ts';
import { expectFollowed } from './lost-primary.ts';

const test = faultTest.override('wanted', { redis: 'sentinel' });

test('when the primary is killed, its sentinels elect another, and the services follow', ({ system }) =>
  expectFollowed(system, 'the primary of three sentinels is killed', (primary) => primary.kill()));
