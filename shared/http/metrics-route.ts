import { Gauge, Histogram } from 'prom-client';
import { SingleFlight } from '#shared/async/single-flight.ts';
import { WAIT_BUCKETS } from '#shared/observability/metrics.ts';
import {
  dependencyStates,
  type HealthState,
  isAnswering,
  refusesWrites,
} from '#shared/stores/dependencies.ts';
import type { HttpServer } from './http-server.ts';

/** These statuses get a zero at the start, because a series that begins above zero hides its first requests. */
const OBJECTIVE_STATUSES = [200, 500, 503];

/**
 * Adds `/metrics` for Prometheus. The label `route` is the router's pattern, or `none` for unknown paths, so that no
 * client can create a time series. `quiet` requests and those of the canary are not measured.
 */
export function addMetricsRoute(server: HttpServer): void {
  const { metrics, dependencies } = server;
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of the request to the end of the response',
    labelNames: ['method', 'route', 'status'],
    buckets: WAIT_BUCKETS,
    registers: [metrics],
  });
  server.addHook('onRoute', ({ method, url: route, config }) => {
    if (!config?.objective || method === 'HEAD') return;
    for (const status of OBJECTIVE_STATUSES) duration.zero({ method: String(method), route, status });
  });
  // A client that leaves causes no onResponse hook, but its wait counts for an objective.
  server.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions } = request;
    const { url: route = 'none', config } = routeOptions;
    if (config.objective) {
      reply.raw.once('close', () => {
        if (reply.raw.writableFinished || request.ofCanary) return;
        duration.observe({ method, route, status: 499 }, reply.elapsedTime / 1_000);
      });
    }
    done();
  });
  server.addHook('onResponse', async (request, { statusCode: status, elapsedTime }) => {
    const { method, routeOptions, ofCanary } = request;
    if (routeOptions.config.quiet || ofCanary) return;
    duration.observe({ method, route: routeOptions.url ?? 'none', status }, elapsedTime / 1_000);
  });
  const checking = new SingleFlight<Record<string, HealthState>>(); // the gauges of a scrape share one check
  const addStates = (name: string, help: string, read: (state: HealthState) => number | undefined) =>
    new Gauge({
      name,
      help,
      labelNames: ['dependency'],
      registers: [metrics],
      async collect() {
        this.reset();
        const states = await checking.run(() => dependencyStates(dependencies));
        for (const [dependency, state] of Object.entries(states)) {
          const value = read(state);
          if (value !== undefined) this.set({ dependency }, value);
        }
      },
    });
  addStates(
    'dependency_up',
    '1 if the dependency answers its health check, 0 if it does not, or refuses this process',
    (state) => Number(isAnswering(state)),
  );
  addStates(
    'dependency_refuses_writes',
    '1 if the dependency answers but refuses writes: full, read-only or without disk; absent while it does not answer',
    (state) => (isAnswering(state) ? Number(refusesWrites(state)) : undefined),
  );
  server.get('/metrics', { config: { quiet: true } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );
}
