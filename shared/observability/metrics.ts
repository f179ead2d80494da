import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Buckets of histograms of what a client waits for, in seconds: from a cached label to a label's deadline. */
export const WAIT_BUCKETS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.3, 0.6, 1, 2.5, 5, 10];

/**
 * Returns a registry that holds Node's own metrics (event loop, memory, CPU). Each service has its own registry, not
 * prom-client's global one, since tests run several services in one process.
 */
export function createMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return metrics;
}

/** Adds a gauge that is read on every scrape and is absent where it cannot be read: no figure is better than a wrong one. */
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
