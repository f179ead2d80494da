import type { Telemetry } from 'bullmq';

/**
 * Tracing, off unless OpenTelemetry's own variables ask for it. Whoever traces asks `tracing?.…`; only when it is
 * on is anything of OpenTelemetry's SDK loaded (`open-telemetry.ts`), as that costs 0.3 s and 20 MB.
 */
export let tracing: Tracing | undefined;

export type Tracing = {
  /** For BullMQ: takes the trace from the request into the job. */
  readonly queue: Telemetry;
  /** What every log line says of the trace that it belongs to. */
  logFields(): { traceId?: string };
  /** Makes spans below what runs now, also later, when something else runs. */
  recorder(): RecordSpan;
  /** Sends what has not been sent; gives up in time and never rejects. */
  close(): Promise<void>;
};

/** Makes a span of what is over; `error.type` among the attributes is a failure. Times are `performance.now()`'s. */
export type RecordSpan = (
  name: string,
  from: number,
  to: number,
  attributes?: Record<string, number | string>,
) => void;

/**
 * Begins to trace where `env` has an address or a kind of exporter (OpenTelemetry specification, "Environment
 * Variable Specification"). Call it before anything else is made: what exists already is not traced.
 */
export async function startTracing(service: string, env: NodeJS.ProcessEnv): Promise<void> {
  const exporter = env.OTEL_TRACES_EXPORTER;
  const asked = exporter || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!asked || exporter === 'none' || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return;
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  tracing = startOpenTelemetry(service);
}
