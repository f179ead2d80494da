import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Checks, failures } from '#shared/http/health.ts';
import type { HttpServer } from '#shared/http/http-server.ts';

/** Upper bounds for what a client waits for, in seconds: from an answer of the cache to a label's deadline. */
export const WAIT_BUCKETS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.3, 0.6, 1, 2.5, 5, 10];

/**
 * What a service measures, with Node's own figures (event loop, memory, CPU) in it already. It is the service's
 * own and not prom-client's global one: tests have several services in one process.
 */
export function createMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return metrics;
}

/**
 * `/metrics` for Prometheus, with every request's duration by route and status, and whether what the service needs
 * answers. The route is the router's pattern, and one value for all that no route matches, so that no client can
 * make a series of its own. What machines ask for every few seconds (`quiet`) is not measured.
 */
export function addMetrics(server: HttpServer, metrics: Registry, dependencies: Checks): void {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the head of the request to the end of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets: WAIT_BUCKETS,
    registers: [metrics],
  });
  server.addHook('onResponse', async ({ method, routeOptions }, { statusCode: status, elapsedTime }) => {
    if (routeOptions.config.quiet) return;
    duration.observe({ method, route: routeOptions.url ?? 'none', status }, elapsedTime / 1_000);
  });
  new Gauge({
    name: 'dependency_up',
    help: '1 where it answers the health check, else 0',
    labelNames: ['dependency'],
    registers: [metrics],
    async collect() {
      const failed = await failures(dependencies);
      for (const dependency of Object.keys(dependencies))
        this.set({ dependency }, failed.has(dependency) ? 0 : 1);
    },
  });
  server.get('/metrics', { config: { quiet: true } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );
}

/** A gauge that is read on every scrape, and absent where it cannot be read: no figure is better than a wrong one. */
export function addGauge(
  metrics: Registry,
  name: string,
  help: string,
  read: () => Promise<number | undefined>,
): void {
  new Gauge({
    name,
    help,
    registers: [metrics],
    async collect() {
      const value = await read().catch(() => undefined);
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}
