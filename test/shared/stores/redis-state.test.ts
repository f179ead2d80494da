import { expect, test } from 'vitest';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { evicts, type RedisState, readRedisState } from '#shared/stores/redis-state.ts';

/** What INFO of a Redis tells, which has it in lines that end in CRLF. */
const WELL = {
  ...{ used_memory: '100', used_memory_peak: '300', maxmemory: '200', maxmemory_policy: 'noeviction' },
  ...{ role: 'master', aof_enabled: '1', aof_last_write_status: 'ok', aof_last_bgrewrite_status: 'ok' },
  rdb_last_bgsave_status: 'ok',
};
const stateOf = (change: Record<string, string | undefined>) => {
  const lines = Object.entries({ ...WELL, ...change }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}:${value}\r\n`,
  );
  return readRedisState({ info: async () => `# Memory\r\n${lines.join('')}` } as unknown as RedisClient);
};

test.for<[string, Record<string, string | undefined>, Partial<RedisState>]>([
  ['is well', {}, { usedBytes: 100, maxBytes: 200, replica: false, appendOnly: true, writesFail: false }],
  ['follows another one', { role: 'slave' }, { replica: true }],
  ['writes no file', { aof_enabled: '0' }, { appendOnly: false }],
  ['cannot append to its file', { aof_last_write_status: 'err' }, { writesFail: true }],
  ['cannot shorten its file', { aof_last_bgrewrite_status: 'err' }, { writesFail: true }],
  ['cannot write its snapshot', { rdb_last_bgsave_status: 'err' }, { writesFail: true }],
  ['has no limit', { maxmemory: '0' }, { maxBytes: 0 }],
])('a Redis that %s', async ([_, change, state]) => {
  expect(await stateOf(change)).toMatchObject(state);
});

test.for([
  ['noeviction', true, false],
  ['allkeys-lru', false, true],
  [undefined, false, undefined],
] as const)('the policy %s', async ([maxmemory_policy, noeviction, makesRoom]) => {
  const state = await stateOf({ maxmemory_policy });
  expect([state.noeviction, evicts(state)]).toEqual([noeviction, makesRoom]);
});
