import type { Telemetry } from 'bullmq';

/** The part of OpenTelemetry that services use; absent without tracing. */
export type Tracing = {
  /** Returns the fields that a trace adds to a log line. */
  logFields(): { traceId?: string };
  /** Returns a recorder of spans below the current one, which also works later, in another context. */
  recorder(): RecordSpan;
  /** Sends the waiting spans. Gives up in time, and never rejects. */
  close(): Promise<void>;
};

/** `from` and `to` are times of `performance.now()`. The attribute `error.type` marks a failure. */
export type RecordSpan = (
  name: string,
  from: number,
  to: number,
  attributes?: Record<string, number | string>,
) => void;

/** Services without tracing do not load it into memory. */
export async function loadQueueTelemetry(): Promise<Telemetry> {
  const { queueTelemetry } = await import('./queue-telemetry.ts');
  return queueTelemetry();
}
