import { test as faultTest } from '../system/system.ts';
import { expectFollowed } from './lost-primary.ts';

const test = faultTest.override('wanted', { redis: 'cluster' });

test('when the master of our keys is killed, its replica takes over, and the services follow', ({ system }) =>
  expectFollowed(system, 'kill -9 of the master of our keys in a Redis Cluster', (master) => master.kill()));
