import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from './logger.ts';
import type { Tracing } from './tracing.ts';

/** A small part of the shutdown. */
const FLUSH_TIMEOUT_MS = 2_000;

/**
 * Starts OpenTelemetry by its environment variables, with OTLP as JSON over HTTP. No span holds a URL, a header or
 * the text of an error, which may contain names, tokens or postal codes.
 * @param log receives OpenTelemetry's own warnings.
 */
export function startOpenTelemetry(service: string, log: Logger): Tracing {
  const warn = (message: string, ...details: unknown[]) =>
    log.warn({ details }, `OpenTelemetry reports: ${message}`);
  const ignore = () => {};
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service, 'service.namespace': 'shipping-guides' }))
      // `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override these.
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  // Not `baggage`: it holds what any caller sends, and would be stored in jobs.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  new UndiciInstrumentation({ requireParentforSpans: true }); // enables itself
  subscribe('fastify.initialization', (message) =>
    traceRequests((message as { fastify: FastifyInstance }).fastify),
  );
  const tracer = trace.getTracer('shipping-guides');
  return {
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
      const flushed = provider.shutdown().catch((error) => warn(String(error)));
      await Promise.race([flushed, delay(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

/**
 * Records a span for every request except probes and scrapes (`quiet`). `@fastify/otel` would put whole URLs and texts
 * of errors on spans.
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
    // `onResponse` runs outside the request's context; without it the log line would have no trace id.
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
