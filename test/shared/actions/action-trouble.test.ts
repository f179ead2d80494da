import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { ActionCounts } from '#shared/actions/action-counts.ts';
import { UserActions } from '#shared/actions/action-trouble.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { RedisClock } from '#shared/stores/redis-clock.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as stores } from '#test/fixtures/stores.ts';

const CODIGOS: Readonly<Record<string, string>> = { F: 'error_interno', G: 'no_disponible' };

const test = stores
  .extend('actions', ({ stores: { redis, prefix } }) => {
    const counts = new ActionCounts(redis, prefix, new RedisClock(redis), createLogger('test', 'silent'));
    return new UserActions(['create'], counts, new Registry());
  })
  .extend(
    'report',
    ({ actions }) =>
      () =>
        actions.report(Date.now()).create?.failing,
  )
  /**
   * `count('FG..')` has two creations fail, of different causes, and two succeed. It returns what the process says of its
   * creations then.
   */
  .extend('count', ({ actions, report }) => (outcomes: string) => {
    for (const outcome of outcomes)
      actions.count('create', outcome in CODIGOS ? 'failed' : 'ok', CODIGOS[outcome]);
    return report();
  });

test('a fault of all is over with the first success', ({ count }) => {
  expect(count('.'.repeat(1_000))).toBeUndefined();
  expect(count('FFF')).toMatchObject({
    notOk: 3,
    all: 3,
    lastNotOk: 3,
    lastAll: 3,
    codigo: 'error_interno',
  });
  expect(count('.')).toBeUndefined();
  expect(count('F')).toMatchObject({ notOk: 4, lastNotOk: 4, lastAll: 20 });
});

test.for([
  ['every second request', 'F.', 8],
  ['every third request', 'F..', 4],
  ['a third of all, irregularly', 'F...FF.F....F..FF.....F.F...F..', 6],
] as const)('a fault of %s goes on', ([, outcomes, least], { count }) => {
  count(outcomes.repeat(4));
  for (const outcome of outcomes.repeat(4)) expect(count(outcome)).toMatchObject({ codigo: 'error_interno' });
  expect(count(outcomes)).toMatchObject({ notOk: expect.toSatisfy((failed: number) => failed >= least) });
});

test('a fault of some is over after twice the longest row of successes in it but one', ({ count }) => {
  count('F..F...F..F');
  expect(count('....')).toMatchObject({ notOk: 4, all: 15 });
  expect(count('.')).toBeUndefined();
  expect(count('F')).toMatchObject({ notOk: 5, all: 17 });
});

test('a fault that came back is over with the first success, however long it was away', ({ count }) => {
  count(`FFF${'.'.repeat(150)}FFF`);
  expect(count('.')).toBeUndefined();
});

test('a fault of a minute ago is another one, unless few have tried since', ({ count }) => {
  count(`FFF${'.'.repeat(20)}`);
  passTime(61_000);
  expect(count('F')).toMatchObject({ notOk: 4, all: 24 });
  count('.'.repeat(21));
  passTime(61_000);
  expect(count('F')).toMatchObject({ notOk: 1, all: 1 });
});

test('single failures far apart are each a fault of their own', ({ count }) => {
  const calm = '.'.repeat(200);
  expect(count(`F${calm}F${calm}F${calm}F`)).toMatchObject({ notOk: 1, all: 1 });
});

test('a cause that has ended ends a fault that had no other, until it is back', ({
  actions,
  count,
  report,
}) => {
  count('F..F.FFF');
  actions.end('create', 'no_disponible');
  expect(report()).toMatchObject({ notOk: 5 });
  actions.end('create', 'error_interno');
  expect(report()).toBeUndefined();
  expect(count('F')).toMatchObject({ notOk: 6, all: 9 });
  count('GF');
  actions.end('create', 'error_interno');
  expect(report()).toMatchObject({ notOk: 8 });
});

test('another cause after one that has ended is a fault of its own', ({ actions, count }) => {
  count('FFF');
  actions.end('create', 'error_interno');
  expect(count('G')).toMatchObject({ notOk: 1, all: 1, lastNotOk: 1, lastAll: 1 });
});
