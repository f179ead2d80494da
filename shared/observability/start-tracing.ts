import { createLogger } from './logger.ts';
import type { Tracing } from './tracing.ts';

/**
 * Starts tracing where `env` names an exporter or its address (OpenTelemetry specification, "Environment Variable
 * Specification"). Call it before anything else is built: what exists already is not traced.
 *
 * OpenTelemetry's SDK is loaded only then, since loading takes 0.3 s and 20 MB.
 */
export async function startTracing(service: string, env: NodeJS.ProcessEnv): Promise<Tracing | undefined> {
  const exporter = env.OTEL_TRACES_EXPORTER;
  const asked = exporter || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!asked || exporter === 'none' || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  return startOpenTelemetry(service, createLogger(service, 'warn'));
}
