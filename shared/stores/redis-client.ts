import { Redis } from 'ioredis';
import { parseRedisAddress, type SentinelAddress } from '#shared/config/redis-address.ts';

/** Connects to the primary of Redis, which may move. */
export type RedisClient = Redis;

/** What a client does with commands while Redis is away. */
type Waiting =
  /** Rejects commands at once, and unanswered ones after a time limit. */
  | 'fails-fast'
  /** Keeps commands for ever. BullMQ demands `maxRetriesPerRequest: null` to block on a queue. */
  | 'waits'
  /** Rejects commands at once, and receives messages of channels. The connection must be pinged all the time. */
  | 'subscribes';

const CONNECT_MS = 2_000;
/** Longest wait for an answer of a command that fails fast. */
const COMMAND_MS = 2_000;
/**
 * A silent connection closes so long after the time for an answer. A machine that loses its power closes no connection,
 * and only a new connection leads to the current primary.
 */
const SILENCE_MS = 2_000;
/** Longest time that BullMQ's Worker blocks (`drainDelay`). */
const BLOCKING_MS = 5_000;
/** Longest wait for a sentinel's answer. Then the next sentinel is asked. */
const ASK_MS = 1_000;
/** Shortest time between two attempts to leave a server that is no longer the primary. */
const LEAVE_MS = 1_000;

const OPTIONS = {
  'fails-fast': {
    commandTimeout: COMMAND_MS,
    socketTimeout: COMMAND_MS + SILENCE_MS,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    // Commands of one event-loop turn are one write.
    enableAutoPipelining: true,
  },
  waits: { socketTimeout: BLOCKING_MS + SILENCE_MS, maxRetriesPerRequest: null },
  subscribes: {
    socketTimeout: COMMAND_MS + SILENCE_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
  },
};

/** Opens a client that reconnects for ever. */
export function createRedisClient(url: string, waiting: Waiting): RedisClient {
  const address = parseRedisAddress(url);
  const options = {
    ...OPTIONS[waiting],
    connectTimeout: CONNECT_MS,
    // Redis 7.0 lacks CLIENT SETINFO, and a service's user may not send it. Each refusal would fill the ACL LOG of
    // Redis.
    disableClientInfo: true,
    // A restart of Redis takes a second.
    retryStrategy: (attempt: number) => Math.min(50 * attempt, 1_000),
    reconnectOnError: leavePrimary(),
  };
  if (address.kind === 'plain') return new Redis(address.url, options);
  return new Redis({ ...options, ...sentinelOptions(address) });
}

/** Asks only the sentinels of the address, so their user needs no right to list others. */
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
 * Returns ioredis' `reconnectOnError`: 1 opens the connection anew when an error says that the server is no longer the
 * primary, 2 also sends the command again. The connection opens anew once a second at most: if the address itself leads to
 * a replica, reads go on meanwhile. Only a command that blocked is sent again: any other could leave its transaction.
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
