import { withTimeout } from '#shared/async/with-timeout.ts';
import { labelWriter } from '#shared/contracts/label-store.ts';
import { buildHttpServer, type HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { createMetrics } from '#shared/observability/metrics.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { blockingRedis, connectRedis, measureEviction } from '#shared/stores/redis.ts';
import { createLabelPrinter } from './batching/label-printer.ts';
import { launchBrowser } from './chromium/browser.ts';
import type { LabelWorkerConfig } from './config.ts';
import { DOCUMENT } from './label/label-html.ts';
import { chromiumMetrics, labelMetrics } from './metrics.ts';
import { startHeartbeat } from './queue/heartbeat.ts';
import { startLabelWorker } from './queue/label-worker.ts';

/** Two misses in a row are a Chromium that hangs: it is found within 10 s when nothing prints. */
const HEALTH_MS = 5_000;

/**
 * The label worker with everything it needs open; from here on it prints. What it returns has the health pages,
 * not yet listening; its `close()` closes all of it.
 */
export async function buildLabelWorker(
  config: LabelWorkerConfig,
  log: Logger,
  tracing?: Tracing,
): Promise<HttpServer> {
  const store = await connectRedis(config.REDIS_URL, log);
  const metrics = createMetrics();
  measureEviction(store, metrics);
  const observer = labelMetrics(metrics);
  const browser = await launchBrowser(
    {
      executablePath: config.CHROMIUM_PATH,
      document: DOCUMENT,
      lanes: config.PRINT_CONCURRENCY,
      timeoutMs: config.PRINT_TIMEOUT_MS,
      healthMs: HEALTH_MS,
      printsEach: config.CHROMIUM_MAX_PRINTS,
      memoryEach: config.CHROMIUM_MAX_MEMORY_MIB * 1024 * 1024,
    },
    log,
    observer,
  ).catch((error) => {
    store.disconnect();
    throw error;
  });
  chromiumMetrics(metrics, browser);
  const queue = blockingRedis(config.REDIS_URL, log);
  const worker = startLabelWorker({
    queue,
    store: labelWriter(store, config.REDIS_PREFIX, {
      ttlS: config.LABEL_CACHE_TTL_S,
      most: config.LABEL_CACHE_MAX_LABELS,
    }),
    prefix: config.REDIS_PREFIX,
    // As many again as print: a lane that is done finds its next batch here.
    concurrency: 2 * config.PRINT_CONCURRENCY * config.BATCH_MAX_LABELS,
    printer: createLabelPrinter(
      browser,
      { lanes: config.PRINT_CONCURRENCY, batchLabels: config.BATCH_MAX_LABELS },
      observer,
      tracing,
    ),
    observer,
    log,
    tracing,
  });
  const heartbeat = startHeartbeat({ redis: store, prefix: config.REDIS_PREFIX, worker, browser, log });

  const server = buildHttpServer({
    log,
    metrics,
    ready: { chromium: () => browser.ping(), redis: () => store.ping() },
  });
  /** A quarter of the time that a shutdown has for each step, so that the last one also gets some. */
  const bounded = (what: string, step: Promise<unknown>) =>
    withTimeout(config.SHUTDOWN_MS / 4, what, step).catch((err) => log.warn({ err }, 'closing goes on'));
  server.addHook('onClose', async () => {
    await Promise.all([
      bounded('The last heartbeat', heartbeat.stop()),
      bounded('The labels that are printing', worker.close()),
    ]);
    // Ends what still prints; those jobs then leave the worker, and another tries them again.
    await bounded('Chromium', browser.close());
    await bounded('The queue', worker.close());
    queue.disconnect();
    store.disconnect();
  });
  return server;
}
