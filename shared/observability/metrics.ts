import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { withTimeout } from '#shared/async/with-timeout.ts';

/** Buckets in seconds for a client's wait, from a cached label to a label's deadline. */
export const WAIT_BUCKETS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.3, 0.6, 1, 2.5, 5, 10];

/**
 * Longest wait of a scrape for the figures of a store. Prometheus gives up after seconds, so one store that hangs would
 * hide every other figure of the process.
 */
const READ_TIMEOUT_MS = 1_000;

/** Each service has its own registry, because tests run several services in one process. */
export function createMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return metrics;
}

/** Adds a gauge that is read on every scrape. It is absent if reading fails, because a wrong figure is worse. */
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
      const value = await readInTime(name, read()).catch(() => undefined);
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

/** @throws DOMException `TimeoutError` if the figures of a gauge take longer than a scrape may wait. */
export function readInTime<T>(gauge: string, reading: Promise<T>): Promise<T> {
  return withTimeout(READ_TIMEOUT_MS, `Reading ${gauge}`, reading);
}
