import { MONGOOSE_NOT_CONNECTED } from '#shared/stores/transient-errors.ts';

/** Errors of MongoDB's driver that found no server, or no connection, in the time that it waits for one. */
const VAIN_WAITS = new Set([
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoWaitQueueTimeoutError',
]);
/** Labels of an error that made a connection fail before it was one. */
const UNCONNECTED_LABELS = ['HandshakeError', 'SystemOverloadedError'];

/** Returns whether there is no server to send a write to: another attempt at once is of no use. */
export function isServerAway(error: unknown): boolean {
  const { name, message } = connectionErrorOf(error);
  return VAIN_WAITS.has(name) || MONGOOSE_NOT_CONNECTED.test(message);
}

/** Returns whether MongoDB never got the write that failed so; otherwise it may have done it, or may do it yet. */
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
