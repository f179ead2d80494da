import { test as faultTest } from '../system/system.ts';
import { expectFollowed, silence } from './lost-primary.ts';

const test = faultTest.override('wanted', { redis: 'sentinel' });

test.for([
  ['is killed', (primary: Parameters<typeof silence>[0]) => primary.kill()],
  ['falls silent', silence],
] as const)(
  'when the primary %s, its sentinels elect another, and the services follow',
  ([how, lose], { system }) => expectFollowed(system, `the primary of three sentinels ${how}`, lose),
);
