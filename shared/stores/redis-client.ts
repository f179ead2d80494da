import { Cluster, Redis } from 'ioredis';
import { parseRedisAddress, type RedisAddress } from '#shared/config/redis-address.ts';

/** A connection to one Redis, which may move, or to a Redis Cluster. All keys of a prefix are in one slot (`REDIS_PREFIX`). */
export type RedisClient = Redis | Cluster;

/** How a client treats commands while Redis is away. */
type Waiting =
  /** Rejects them at once, and those that are not answered in time. */
  | 'fails-fast'
  /** Keeps them for ever, as what blocks on a queue needs (BullMQ demands `maxRetriesPerRequest: null`). */
  | 'waits'
  /** Rejects them at once, and waits somewhat longer for an answer: for what reads a stream as it grows. */
  | 'listens';

const CONNECT_MS = 2_000;
/** Longest wait for an answer of a command that fails fast, in ms. */
const COMMAND_MS = 2_000;
/** The same of one that listens, in ms: longer than a reading waits for an entry (`shared/contracts/label-answers.ts`). */
const LISTENING_MS = 4_000;
/**
 * How much longer than for an answer a connection stays open that is silent, in ms. A machine that loses its power closes no
 * connection; only a new one is led to the primary of today.
 */
const SILENCE_MS = 2_000;
/** Longest time that BullMQ's Worker blocks, in ms (`drainDelay`). */
const BLOCKING_MS = 5_000;
/** Longest wait for what a sentinel or a node knows of the others, in ms; then the next one is asked. */
const ASK_MS = 1_000;
/** Shortest time between two attempts to leave a server that is the primary no more, in ms. */
const LEAVE_MS = 1_000;
/** How often a Cluster client asks which node has which slot, in ms: a node that hangs does not say so. */
const SLOTS_MS = 5_000;

/** Options of each connection to a server. */
const CONNECTION = {
  connectTimeout: CONNECT_MS,
  // A service's user may not send CLIENT SETINFO, which Redis 7.0 does not have: no refusal fills Redis' ACL LOG.
  disableClientInfo: true,
};
const CONNECTIONS = {
  'fails-fast': {
    ...CONNECTION,
    commandTimeout: COMMAND_MS,
    socketTimeout: COMMAND_MS + SILENCE_MS,
    maxRetriesPerRequest: 1,
  },
  waits: { ...CONNECTION, socketTimeout: BLOCKING_MS + SILENCE_MS, maxRetriesPerRequest: null },
  listens: {
    ...CONNECTION,
    commandTimeout: LISTENING_MS,
    socketTimeout: LISTENING_MS + SILENCE_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  },
};

/** Pause before a command is sent again to a Cluster without a master for its key, or with a node that closed, in ms. */
const AGAIN_MS = 100;
/**
 * How a Cluster client follows a node that says which other one has a key. An election lasts seconds: until it is over clients
 * are to hear 503, and what may wait goes on asking.
 */
const REDIRECTIONS = {
  'fails-fast': { maxRedirections: 5 },
  listens: { maxRedirections: 5 },
  waits: { maxRedirections: Number.POSITIVE_INFINITY, retryDelayOnMoved: AGAIN_MS },
};

/** Options of the client as a whole. Commands of one event-loop turn are one write: labels are stored and asked for by the batch. */
const CLIENTS = {
  'fails-fast': { enableOfflineQueue: false, enableAutoPipelining: true },
  waits: {},
  listens: { enableOfflineQueue: false },
};

/** Opens a client, which connects again and again where Redis is away. */
export function createRedisClient(url: string, waiting: Waiting): RedisClient {
  const address = parseRedisAddress(url);
  if (address.kind === 'cluster') return createClusterClient(address, waiting);
  const options = {
    ...CONNECTIONS[waiting],
    ...CLIENTS[waiting],
    retryStrategy,
    reconnectOnError: leavePrimary(),
  };
  if (address.kind === 'plain') return new Redis(address.url, options);
  return new Redis({ ...options, ...sentinelOptions(address) });
}

/** The sentinels of the address are asked, and no others: their user needs no right to list the others. */
function sentinelOptions(address: RedisAddress & { kind: 'sentinel' }) {
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

function createClusterClient(
  { nodes, tls, username, password }: RedisAddress & { kind: 'cluster' },
  waiting: Waiting,
): Cluster {
  return new Cluster(nodes, {
    ...CLIENTS[waiting],
    // It asks for CLUSTER INFO, and keeps away from a cluster that lacks slots which are not ours.
    enableReadyCheck: false,
    redisOptions: { ...CONNECTIONS[waiting], username, password, ...(tls && { tls: {} }) },
    clusterRetryStrategy: retryStrategy,
    ...REDIRECTIONS[waiting],
    retryDelayOnFailover: AGAIN_MS,
    retryDelayOnClusterDown: AGAIN_MS,
    slotsRefreshTimeout: ASK_MS,
    slotsRefreshInterval: SLOTS_MS,
    // A certificate is for the name; Node resolves names anew with each connection.
    dnsLookup: (host, done) => done(null, host),
  });
}

/** Quick at first, since a restart of Redis takes a second; never slower than one try a second. */
function retryStrategy(attempt: number): number {
  return Math.min(50 * attempt, 1_000);
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
