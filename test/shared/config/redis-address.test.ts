import { describe, expect, test } from 'vitest';
import { BranchesConfig } from '#services/branches/config.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { parseRedisAddress } from '#shared/config/redis-address.ts';
import { MINIMAL_ENV } from '#test/fixtures/minimal-env.ts';

describe('an address of Redis', () => {
  test.each([
    'redis://10.0.0.1:6379',
    'rediss://api:secret@redis.example:6380/2?family=6',
    'redis://:a,b@redis',
  ])('%s is one that leads to the primary, and goes to ioredis as it is', (url) =>
    expect(parseRedisAddress(url)).toEqual({ kind: 'plain', url }),
  );

  test('names sentinels, the primary, and the users of both', () => {
    const address = parseRedisAddress(
      'rediss+sentinel://api:p%40ss@one:26380,two,[::1]:26381/guias?sentinel_username=ask&sentinel_password=s%26t',
    );
    expect(address).toEqual({
      kind: 'sentinel',
      nodes: [
        { host: 'one', port: 26380 },
        { host: 'two', port: 26379 },
        { host: '::1', port: 26381 },
      ],
      primary: 'guias',
      tls: true,
      username: 'api',
      password: 'p@ss',
      sentinelUsername: 'ask',
      sentinelPassword: 's&t',
    });
  });

  test.each([
    ['127.0.0.1:6379', 'must be redis://host:port or redis+sentinel://host:port,host:port/primary-name'],
    [
      'redis://:a/b@one:6379',
      'has an empty or malformed host, or a sign in its password that must be %-encoded',
    ],
    ['redis://one:70000', 'has an empty or malformed host'],
    ['rediss://api:100%@one', 'has a % that encodes nothing: write %25'],
    ['redis://one:1,two:2', 'names several hosts: write redis+sentinel://'],
    ['redis+sentinel://one,two', 'does not end with / and the name by which its sentinels know the primary'],
    ['redis+sentinel://one,,two/guias', 'has an empty or malformed host'],
    ['redis+sentinel://one/guias?db=2', 'has other options than sentinel_username and sentinel_password'],
    ['redis+sentinel://api:100%@one/guias', 'has a % that encodes nothing: write %25'],
  ])('%s is refused at the start', (REDIS_URL, message) => {
    expect(() => loadConfig(BranchesConfig, { ...MINIMAL_ENV, REDIS_URL })).toThrow(`REDIS_URL ${message}`);
  });

  test.each([
    'redis+sentinel://api:hunter2/x@one/guias',
    'redis+sentinel://api:1?hunter2@one/guias',
    'redis://api:hunter2/x@one',
  ])('with a password that is not encoded, %s is refused without showing it', (REDIS_URL) => {
    const load = () => loadConfig(BranchesConfig, { ...MINIMAL_ENV, REDIS_URL });
    expect(load).toThrow('Wrong configuration');
    expect(load).not.toThrow('hunter2');
  });
});
