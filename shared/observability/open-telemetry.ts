import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  INVALID_SPAN_CONTEXT,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { core, NodeSDK, resources } from '@opentelemetry/sdk-node';
import type { Telemetry } from 'bullmq';
import { BullMQOTelSpan, BullMQOtel } from 'bullmq-otel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createLogger } from './logger.ts';
import type { Tracing } from './tracing.ts';

/** Longest wait for the collector at the end of the process, in ms: a small part of its shutdown. */
const FLUSH_DEADLINE = 2_000;

/**
 * Starts OpenTelemetry as its variables say (exporter, sampler, resource, limits). Servers and calls tell of
 * themselves on diagnostics channels, so it needs no loader hook.
 *
 * No span of a request has its URL, a header or the text of an error: they may hold names, tokens, postal codes.
 */
export function startOpenTelemetry(service: string): Tracing {
  const log = createLogger(service, 'warn');
  const warn = (message: string, ...details: unknown[]) => log.warn({ details }, `tracing: ${message}`);
  const ignore = () => {};
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
  const sdk = new NodeSDK({
    // What `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` say goes before it.
    resource: resources
      .defaultResource()
      .merge(
        resources.resourceFromAttributes({ 'service.name': service, 'service.namespace': 'shipping-guides' }),
      ),
    // The trace alone: what else a caller sends along (`baggage`) is not ours to pass on and to store in jobs.
    textMapPropagator: new core.W3CTraceContextPropagator(),
    instrumentations: [new UndiciInstrumentation({ requireParentforSpans: true })],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  subscribe('fastify.initialization', (message) =>
    traceRequests((message as { fastify: FastifyInstance }).fastify),
  );
  const tracer = trace.getTracer('shipping-guides');
  return {
    queue: queueTelemetry(),
    logFields() {
      const traceId = trace.getActiveSpan()?.spanContext().traceId;
      return traceId ? { traceId } : {};
    },
    recorder() {
      const parent = context.active();
      return (name, startTime, endTime, attributes = {}) => {
        const span = tracer.startSpan(name, { startTime, attributes }, parent);
        if ('error.type' in attributes) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(endTime);
      };
    },
    async close() {
      const flushed = sdk.shutdown().catch((error) => warn(String(error)));
      await Promise.race([flushed, delay(FLUSH_DEADLINE, undefined, { ref: false })]);
    },
  };
}

/**
 * A span for every request but those of machines (`quiet`). (`@fastify/otel` would put the whole URL and errors'
 * texts on it, and add a span for each handler.)
 */
function traceRequests(server: FastifyInstance): void {
  const tracer = trace.getTracer('shipping-guides');
  const contexts = new WeakMap<FastifyRequest, Context>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { config, url: route } = request.routeOptions;
    if (config.quiet) return done();
    const caller = propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = {
      'http.request.method': request.method,
      ...(route && { 'http.route': route }),
      'request.id': request.id,
    };
    const name = route ? `${request.method} ${route}` : request.method;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
    const own = trace.setSpan(caller, span);
    contexts.set(request, own);
    context.with(own, done);
  });
  server.addHook('onResponse', (request, { statusCode }, done) => {
    // The answer ends outside of what the request began; the log line that follows belongs to it.
    const own = contexts.get(request) ?? ROOT_CONTEXT;
    const span = trace.getSpan(own);
    span?.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) {
      span?.setAttribute('error.type', String(statusCode)).setStatus({ code: SpanStatusCode.ERROR });
    }
    span?.end();
    context.with(own, done);
  });
}

/** BullMQ's spans of a job; not those of its housekeeping, which comes every few seconds and has no end. */
function queueTelemetry(): Telemetry<Context> {
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
