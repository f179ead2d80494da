import { DomainError } from '#shared/errors/domain-error.ts';

/**
 * Errors that mean that the other side is down, full or too slow. Matched by name, because the libraries' classes
 * differ between versions, and mongoose wraps them.
 */
const OUTAGE_NAMES = new Set([
  /** These four mean that this process closes its client during the operation. */
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
 * MongoDB's codes for a server that is unreachable, shuts down, or is no longer the primary, as drivers retry them
 * (MongoDB specifications, "Retryable Reads"). FerretDB answers code 1 when its PostgreSQL is away.
 */
const MONGO_OUTAGE_CODES = new Set([1, 6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
/**
 * MongoDB's code for a write that it took back because another write met it, and DocumentDB's for a deadlock: PostgreSQL's
 * `40P01`. Of two inserts that meet in an index that is unique but not the `_id`, DocumentDB takes one back after a second.
 */
const MONGO_CONFLICT_CODES: ReadonlySet<number> = new Set([112, 16_908_292]);
/**
 * MongoDB's code for a full disk, and DocumentDB's: PostgreSQL's `53100`. DocumentDB also says it with the code of an
 * outage, and MongoDB Atlas with one of its own, so that the text tells.
 */
const OUT_OF_SPACE_CODES: ReadonlySet<number> = new Set([14_031, 4_293]);
const OUT_OF_SPACE_TEXTS = /No space left on device|Disk quota exceeded|over your space quota/;
/**
 * MongoDB's code for writes that its operator has blocked, and DocumentDB's for what PostgreSQL lacks or the system refuses it:
 * `53000`, `53200` (memory), `53300` (connections), `53400`, `58030` (a failure of the disk), `25006` (read-only).
 */
const REFUSED_CODES = [371, 197, 8_389, 12_485, 16_581, 786_949, 100_663_618];
const REFUSED_TEXTS = /Read-only file system|Cannot allocate memory/;
const MONGO_TRANSIENT_CODES = new Set([...MONGO_OUTAGE_CODES, ...MONGO_CONFLICT_CODES, ...REFUSED_CODES]);
/**
 * An error reply begins with its code (Redis protocol, "Simple errors"): loading, full, not the primary, without its
 * disk or its replicas.
 */
const REDIS_OUTAGE_CODES = /^(LOADING|OOM|MASTERDOWN|READONLY|MISCONF|NOREPLICAS|UNBLOCKED) /;
/** The codes that refuse only writes. */
const REDIS_REFUSED_WRITE = /^(OOM|READONLY|MISCONF|NOREPLICAS) /;
/** ioredis 6.0 has only texts for these. */
const IOREDIS_OUTAGE_TEXTS = /^(Stream isn't writeable|Command timed out|Connection is closed)/;
/** The driver found no server, or no connection, within its time limit. */
const AWAY_NAMES = new Set([
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoWaitQueueTimeoutError',
]);
/** The driver puts these labels on an error of a connection that never opened. */
const UNCONNECTED_LABELS = ['HandshakeError', 'SystemOverloadedError'];
/** mongoose 9 has only a text for a MongoDB that has not answered since the service started. */
const MONGOOSE_NOT_CONNECTED = /^Cannot call `.*` before initial connection is complete/;
/** MongoDB's code for a wrong user or password. */
const AUTHENTICATION_FAILED = 18;

/** Returns whether a dependency does not serve now, so that the caller may try again (503, not 500). */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DomainError) return error.code === 'unavailable';
  const { code, errorResponse } = error as { code?: unknown; errorResponse?: unknown };
  // A bulk write keeps the error of its connection here.
  if (errorResponse instanceof Error) return isTransientError(errorResponse);
  return (
    isUnconfirmed(error) ||
    OUTAGE_NAMES.has(error.name) ||
    isOutOfSpace(error) ||
    (error.name.startsWith('Mongo') &&
      (MONGO_TRANSIENT_CODES.has(code as number) || REFUSED_TEXTS.test(error.message))) ||
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

/** Returns whether MongoDB has refused a write because its disk is full. Another attempt at once is of no use. */
export function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, message, code, cause } = error as Error & { code?: unknown };
  const isFull = OUT_OF_SPACE_CODES.has(code as number) || OUT_OF_SPACE_TEXTS.test(message);
  return (name.startsWith('Mongo') && isFull) || isOutOfSpace(cause);
}

/** Returns whether a bulk write was done, but not confirmed in time by a majority of the servers. */
export function isUnconfirmed(error: Error): boolean {
  const { result } = error as { result?: { getWriteConcernError?: () => unknown } };
  return result?.getWriteConcernError?.() !== undefined;
}

/** Returns whether no MongoDB could take the operation. Another attempt at once is of no use. */
export function isServerAway(error: unknown): boolean {
  const { name, message } = connectionErrorOf(error);
  return AWAY_NAMES.has(name) || MONGOOSE_NOT_CONNECTED.test(message);
}

/** Returns whether MongoDB took a write back because another one met it. */
export function isConflict(error: unknown): boolean {
  return MONGO_CONFLICT_CODES.has(connectionErrorOf(error).code as number);
}

/**
 * Returns whether a failed write is certainly not done: MongoDB never got it, or has taken it back. Otherwise the write may
 * be done, now or later.
 */
export function isUndone(error: unknown): boolean {
  const { name, errorLabels = [] } = connectionErrorOf(error);
  if (isServerAway(error) || name === 'MongoPoolClearedError') return true;
  // Of a bulk write, whose error has another name, other documents may be stored.
  const isTakenBack = isConflict(error) || isOutOfSpace(error);
  if (isTakenBack && (name === 'MongoServerError' || hasStoredNothing(error))) return true;
  return UNCONNECTED_LABELS.some((label) => errorLabels.includes(label));
}

/** Returns whether a bulk write has failed with its first document, or with all. */
function hasStoredNothing(error: unknown): boolean {
  const { name, result } = error as { name?: string; result?: Partial<Record<string, unknown>> };
  if (name !== 'MongoBulkWriteError' || !result || isUnconfirmed(error as Error)) return false;
  const { insertedCount, matchedCount, deletedCount, upsertedCount } = result;
  return [insertedCount, matchedCount, deletedCount, upsertedCount].every((count) => count === 0);
}

/** Returns the error of a connection, which a bulk write wraps. */
function connectionErrorOf(error: unknown): Error & { code?: unknown; errorLabels?: readonly string[] } {
  const { errorResponse } = error as { errorResponse?: unknown };
  return (errorResponse instanceof Error ? errorResponse : error) as Error;
}

/** Returns why a store does not serve, for the log; for a refused login, also the cause. */
export function explainOutage(error: Error): string {
  const { message, code } = error as { message: string; code?: unknown };
  const refused = code === AUTHENTICATION_FAILED || /^(WRONGPASS|NOAUTH) /.test(message);
  if (refused) return `it refuses the login (${message}): its user is missing, or has another password`;
  return message;
}
