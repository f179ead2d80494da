import type { Telemetry } from 'bullmq';

/** The part of OpenTelemetry that services use; absent without tracing. */
export type Tracing = {
  /** Returns the trace's fields of a log line. */
  logFields(): { traceId?: string };
  /** Returns a recorder of spans below the current one, which also works later, in another context. */
  recorder(): RecordSpan;
  /** Sends the spans that wait; gives up in time and never rejects. */
  close(): Promise<void>;
};

/**
 * Records a span that has ended. `from` and `to` are times of `performance.now()`; the attribute `error.type` marks a
 * failure.
 */
export type RecordSpan = (
  name: string,
  from: number,
  to: number,
  attributes?: Record<string, number | string>,
) => void;

/** Loads the telemetry of a queue, which services without tracing do not need in memory. */
export async function loadQueueTelemetry(): Promise<Telemetry> {
  const { queueTelemetry } = await import('./queue-telemetry.ts');
  return queueTelemetry();
}
