import { DomainError } from '#shared/errors/domain-error.ts';

/**
 * Names and codes of the errors that say that the other side is down, full or too slow. They are matched by name,
 * since the libraries' classes differ between versions, and mongoose wraps them.
 */
const OUTAGE_NAMES = new Set([
  /** The first four: this process closes its client while the operation is under way. */
  'MongoClientClosedError',
  'MongoExpiredSessionError',
  'MongoPoolClosedError',
  'MongoTopologyClosedError',
  /** The server has left the replica set while the operation waited for it. */
  'MongoServerClosedError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoNotConnectedError',
  'MongoOperationTimeoutError',
  'MongoServerSelectionError',
  'MongoPoolClearedError',
  'MongoWriteConcernError',
  'MongoWaitQueueTimeoutError',
  'MongooseServerSelectionError',
  'PoolClearedOnNetworkError',
  'MaxRetriesPerRequestError',
  /** ioredis: the connection closed when a pipeline was answered in part. */
  'AbortError',
  'TimeoutError',
]);
const OUTAGE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CLOSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_DESTROYED',
  'UND_ERR_HEADERS_TIMEOUT',
  /** The other side ended in the middle of an answer that it had announced as its last one. */
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_SOCKET',
]);
/**
 * MongoDB's codes for a server that is unreachable, shuts down, or is no longer the primary: those that drivers retry
 * (MongoDB specifications, "Retryable Reads"). Code 1, an internal error, is what FerretDB answers when its PostgreSQL
 * is away.
 */
const MONGO_OUTAGE_CODES = new Set([1, 6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
/**
 * The first word of an error reply is its code (Redis protocol, "Simple errors"): loading, full, not the primary, without its
 * disk or its replicas.
 */
const REDIS_OUTAGE_CODES = /^(LOADING|OOM|MASTERDOWN|READONLY|MISCONF|NOREPLICAS|UNBLOCKED) /;
/** Those of them that refuse a write alone: Redis is full, a replica, without its disk or its replicas. */
const REDIS_REFUSED_WRITE = /^(OOM|READONLY|MISCONF|NOREPLICAS) /;
/** ioredis 6.0 knows these by their texts only: reconnecting, `commandTimeout` is over, closed. */
const IOREDIS_OUTAGE_TEXTS = /^(Stream isn't writeable|Command timed out|Connection is closed)/;
/** Errors of MongoDB's driver that found no server, or no connection, in the time that it waits for one. */
const AWAY_NAMES = new Set([
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoWaitQueueTimeoutError',
]);
/** Labels of an error that made a connection of MongoDB's driver fail before it was one. */
const UNCONNECTED_LABELS = ['HandshakeError', 'SystemOverloadedError'];
/** mongoose 9 knows this by its text only: MongoDB has not been there since the service started. */
const MONGOOSE_NOT_CONNECTED = /^Cannot call `.*` before initial connection is complete/;
/** MongoDB's code for a wrong user or password. */
const AUTHENTICATION_FAILED = 18;

/** Returns whether an error means that a dependency does not serve now, so that the caller may try again (503, not 500). */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DomainError) return error.code === 'unavailable';
  const { code, errorResponse } = error as { code?: unknown; errorResponse?: unknown };
  // A bulk write keeps the error of its connection here.
  if (errorResponse instanceof Error) return isTransientError(errorResponse);
  return (
    isUnconfirmed(error) ||
    OUTAGE_NAMES.has(error.name) ||
    (error.name.startsWith('Mongo') && MONGO_OUTAGE_CODES.has(code as number)) ||
    (typeof code === 'string' && OUTAGE_CODES.has(code)) ||
    (error.name === 'ReplyError' && REDIS_OUTAGE_CODES.test(error.message)) ||
    IOREDIS_OUTAGE_TEXTS.test(error.message) ||
    MONGOOSE_NOT_CONNECTED.test(error.message)
  );
}

/** Returns whether a Redis that answers has refused a write. */
export function isRefusedWrite(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && REDIS_REFUSED_WRITE.test(error.message);
}

/** Returns whether a bulk write was done, but a majority of the servers has not confirmed it in time. */
function isUnconfirmed(error: Error): boolean {
  const { result } = error as { result?: { getWriteConcernError?: () => unknown } };
  return result?.getWriteConcernError?.() !== undefined;
}

/** Returns whether there is no MongoDB to which an operation could be sent: another attempt at once is of no use. */
export function isServerAway(error: unknown): boolean {
  const { name, message } = connectionErrorOf(error);
  return AWAY_NAMES.has(name) || MONGOOSE_NOT_CONNECTED.test(message);
}

/** Returns whether MongoDB never got the write that failed so. Otherwise it may have done it, or may do it yet. */
export function isUnsent(error: unknown): boolean {
  const { name, errorLabels = [] } = connectionErrorOf(error);
  if (isServerAway(error) || name === 'MongoPoolClearedError') return true;
  return UNCONNECTED_LABELS.some((label) => errorLabels.includes(label));
}

/** Returns the error of a connection, which a bulk write wraps. */
function connectionErrorOf(error: unknown): Error & { errorLabels?: readonly string[] } {
  const { errorResponse } = error as { errorResponse?: unknown };
  return (errorResponse instanceof Error ? errorResponse : error) as Error;
}

/** Returns why a store does not serve, for the log; of a refused login also what it comes from. */
export function explainOutage(error: Error): string {
  const { message, code } = error as { message: string; code?: unknown };
  const refused = code === AUTHENTICATION_FAILED || /^(WRONGPASS|NOAUTH) /.test(message);
  if (refused) return `it refuses the login (${message}): its user is missing, or has another password`;
  return message;
}
