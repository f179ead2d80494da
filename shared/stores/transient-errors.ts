import { DomainError } from '#shared/errors.ts';

/**
 * Names and codes of the errors by which our clients say that the other side is down, full or too slow.
 * Matched by name because each library's classes differ between versions and are wrapped by mongoose.
 */
const OUTAGE_NAMES = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoNotConnectedError',
  'MongoOperationTimeoutError',
  'MongoServerSelectionError',
  'MongoTopologyClosedError',
  'MongoPoolClearedError',
  'MongoWaitQueueTimeoutError',
  'MongooseServerSelectionError',
  'PoolClearedOnNetworkError',
  'MaxRetriesPerRequestError',
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
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
]);
/**
 * MongoDB's codes for a server that is unreachable, shuts down, or is not the primary any more, as its drivers retry
 * them (MongoDB specifications, "Retryable Reads"); and 1, the server's own fault, which is how FerretDB says that
 * its PostgreSQL is away.
 */
const MONGO_OUTAGE_CODES = new Set([1, 6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
/** ioredis has no codes for these: fail-fast while reconnecting, its command timeout, a server that is loading or full. */
const REDIS_OUTAGE =
  /^(Stream isn't writeable|Command timed out|Connection is closed|LOADING|OOM|MASTERDOWN|READONLY)/;

/** True when an error means "a dependency does not serve now": the caller may try again (503, not 500). */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DomainError) return error.code === 'unavailable';
  const { code, errorResponse } = error as { code?: unknown; errorResponse?: unknown };
  // A bulk write hides in there what became of its connection.
  if (errorResponse instanceof Error) return isTransientError(errorResponse);
  return (
    OUTAGE_NAMES.has(error.name) ||
    (error.name.startsWith('Mongo') && MONGO_OUTAGE_CODES.has(code as number)) ||
    (typeof code === 'string' && OUTAGE_CODES.has(code)) ||
    REDIS_OUTAGE.test(error.message)
  );
}
