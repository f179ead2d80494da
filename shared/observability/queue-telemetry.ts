import { type Context, INVALID_SPAN_CONTEXT, trace } from '@opentelemetry/api';
import type { Telemetry } from 'bullmq';
import { BullMQOTelSpan, BullMQOtel } from 'bullmq-otel';

/** Carries the trace from the request into the job, without spans of BullMQ's recurring housekeeping. */
export function queueTelemetry(): Telemetry<Context> {
  const { tracer, contextManager } = new BullMQOtel();
  const none = new BullMQOTelSpan(trace.wrapSpanContext(INVALID_SPAN_CONTEXT));
  const ofJob = /^(add|process|complete|fail|retry) /;
  return {
    contextManager,
    tracer: {
      startSpan: (name, options, parent) =>
        ofJob.test(name) ? tracer.startSpan(name, options, parent) : none,
    },
  };
}
