import { Redis } from 'ioredis';
import { parseRedisAddress, type SentinelAddress } from '#shared/config/redis-address.ts';

/** A connection to the primary of Redis, which may move. */
export type RedisClient = Redis;

/** How a client treats commands while Redis is away. */
type Waiting =
  /** Rejects them at once, and those that are not answered in time. */
  | 'fails-fast'
  /** Keeps them for ever, as what blocks on a queue needs (BullMQ demands `maxRetriesPerRequest: null`). */
  | 'waits'
  /** Rejects them at once, and receives the messages of channels: for a connection that is pinged all the time. */
  | 'subscribes';

const CONNECT_MS = 2_000;
/** Longest wait for an answer of a command that fails fast, in ms. */
const COMMAND_MS = 2_000;
/**
 * How much longer than for an answer a connection stays open that is silent, in ms. A machine that loses its power closes no
 * connection; only a new one is led to the primary of today.
 */
const SILENCE_MS = 2_000;
/** Longest time that BullMQ's Worker blocks, in ms (`drainDelay`). */
const BLOCKING_MS = 5_000;
/** Longest wait for what a sentinel knows, in ms; then the next one is asked. */
const ASK_MS = 1_000;
/** Shortest time between two attempts to leave a server that is the primary no more, in ms. */
const LEAVE_MS = 1_000;

const OPTIONS = {
  'fails-fast': {
    commandTimeout: COMMAND_MS,
    socketTimeout: COMMAND_MS + SILENCE_MS,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    // Commands of one event-loop turn are one write: labels are stored and asked for by the batch.
    enableAutoPipelining: true,
  },
  waits: { socketTimeout: BLOCKING_MS + SILENCE_MS, maxRetriesPerRequest: null },
  subscribes: {
    socketTimeout: COMMAND_MS + SILENCE_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
  },
};

/** Opens a client, which connects again and again where Redis is away. */
export function createRedisClient(url: string, waiting: Waiting): RedisClient {
  const address = parseRedisAddress(url);
  const options = {
    ...OPTIONS[waiting],
    connectTimeout: CONNECT_MS,
    // A service's user may not send CLIENT SETINFO, which Redis 7.0 does not have: no refusal fills Redis' ACL LOG.
    disableClientInfo: true,
    // Quick at first, since a restart of Redis takes a second; never slower than one try a second.
    retryStrategy: (attempt: number) => Math.min(50 * attempt, 1_000),
    reconnectOnError: leavePrimary(),
  };
  if (address.kind === 'plain') return new Redis(address.url, options);
  return new Redis({ ...options, ...sentinelOptions(address) });
}

/** The sentinels of the address are asked, and no others: their user needs no right to list the others. */
function sentinelOptions(address: SentinelAddress) {
  const { nodes, primary, tls, username, password, sentinelUsername, sentinelPassword } = address;
  return {
    sentinels: nodes,
    name: primary,
    username,
    password,
    sentinelUsername,
    sentinelPassword,
    sentinelRetryStrategy: () => ASK_MS,
    sentinelCommandTimeout: ASK_MS,
    updateSentinels: false,
    ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}

/**
 * Returns what tells whether to open a connection anew: when the server is the primary no more. It keeps the connections of
 * when it was, and only a new one is led to the primary of today. Once a second at most: where the address itself leads to a
 * replica, what only reads goes on between. The command that found out fails: repeated alone, it could leave its
 * transaction. A command that blocked is sent again (2).
 */
function leavePrimary(): (error: Error) => false | 1 | 2 {
  let next = 0;
  return ({ message }) => {
    if (message.startsWith('UNBLOCKED ')) return 2;
    if (!/^(READONLY|MASTERDOWN|NOREPLICAS) /.test(message) || performance.now() < next) return false;
    next = performance.now() + LEAVE_MS;
    return 1;
  };
}
