import type { Telemetry } from 'bullmq';

/** What a service asks of OpenTelemetry; it is handed to whoever traces, and absent where tracing is off. */
export type Tracing = {
  /** Returns what every log line says of the trace that it belongs to. */
  logFields(): { traceId?: string };
  /** Returns a recorder of spans below the current one, which also works later, when something else runs. */
  recorder(): RecordSpan;
  /** Sends the spans that wait to be sent; gives up in time and never rejects. */
  close(): Promise<void>;
};

/**
 * Records a span that is over. `from` and `to` are times of `performance.now()`; an attribute `error.type` marks a
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
