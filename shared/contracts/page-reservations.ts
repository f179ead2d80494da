import { randomUUID } from 'node:crypto';
import type { Result } from 'ioredis';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/**
 * Pages of labels that are in flight for each account, in Redis: the api reserves pages while it waits for a label,
 * and the worker drops a label whose reservation is gone, since nobody waits for it any more. A reservation ends by
 * itself at the label's deadline, by the clock of Redis, so also those of an api that died.
 *
 * | key | value |
 * |---|---|
 * | `{prefix}:pages:<account>` | sorted set of `<pages> <id>`, the reservations, by their deadline in ms |
 * | `{prefix}:pages-sum:<account>` | the sum of those pages, and of none that has ended |
 */

/** What a label's job says of who waits for it. */
export type Reservation = { account: string; id: string };

const FORGET_ENDED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local sum = tonumber(redis.call('GET', KEYS[2]) or 0)
for _, ended in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
  redis.call('ZREM', KEYS[1], ended)
  sum = redis.call('INCRBY', KEYS[2], -string.match(ended, '^%d+'))
end`;

/** ARGV: pages, the reservation, time until its deadline in ms, the most pages. A label is never too large to be alone. */
const RESERVE = `${FORGET_ENDED}
local refused = sum > 0 and sum + ARGV[1] > tonumber(ARGV[4])
if not refused then
  redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[2])
  local life = math.max(ARGV[3], redis.call('PTTL', KEYS[1]))
  redis.call('PEXPIRE', KEYS[1], life)
  redis.call('SET', KEYS[2], sum + ARGV[1], 'PX', life)
end
return { refused and 1 or 0, sum }`;

/** ARGV: pages, the reservation. */
const RELEASE = `
if redis.call('ZREM', KEYS[1], ARGV[2]) == 1 then redis.call('INCRBY', KEYS[2], -ARGV[1]) end`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    reservePages(
      set: string,
      sum: string,
      pages: number,
      reservation: string,
      ms: number,
      most: number,
    ): Result<[refused: 0 | 1, inFlight: number], Context>;
    releasePages(set: string, sum: string, pages: number, reservation: string): Result<null, Context>;
  }
}

export type PageReservations = ReturnType<typeof pageReservations>;

/** Reserves pages for accounts, for the api. `timeoutMs`: time until a reservation ends by itself. */
export function pageReservations(redis: RedisClient, prefix: string, timeoutMs: number) {
  redis.defineCommand('reservePages', { numberOfKeys: 2, lua: RESERVE });
  redis.defineCommand('releasePages', { numberOfKeys: 2, lua: RELEASE });
  return {
    /** Reserves pages, unless the account would then have more than `most` in flight. `inFlight`: those before. */
    async reserve(account: string, pages: number, most: number) {
      const id = `${pages} ${randomUUID()}`;
      const [set, sum] = keysOf(prefix, account);
      const [refused, inFlight] = await redis.reservePages(set, sum, pages, id, timeoutMs, most);
      return { reservation: refused ? undefined : { account, id }, inFlight };
    },
    async release({ account, id }: Reservation): Promise<void> {
      const [set, sum] = keysOf(prefix, account);
      await redis.releasePages(set, sum, Number.parseInt(id, 10), id);
    },
  };
}

/** Returns whether a reservation has not ended, for the worker. */
export async function isReserved(
  redis: RedisClient,
  prefix: string,
  { account, id }: Reservation,
): Promise<boolean> {
  const [[seconds, microseconds], deadline] = await Promise.all([
    redis.time(),
    redis.zscore(keysOf(prefix, account)[0], id),
  ]);
  return deadline !== null && Number(deadline) > 1_000 * Number(seconds) + Number(microseconds) / 1_000;
}

function keysOf(prefix: string, account: string): [set: string, sum: string] {
  return [`${prefix}:pages:${account}`, `${prefix}:pages-sum:${account}`];
}
