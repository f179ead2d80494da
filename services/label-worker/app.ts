import { withTimeout } from '#shared/async/with-timeout.ts';
import { labelWriter } from '#shared/contracts/label-store.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { openBlockingRedis, openRedis } from '#shared/stores/redis.ts';
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
 * Builds the label worker with everything that it needs open; from here on it prints. The server has the health
 * pages and is not yet listening; closing it closes everything.
 */
export function buildLabelWorker(
  config: LabelWorkerConfig,
  log: Logger,
  tracing?: Tracing,
): Promise<HttpServer> {
  return buildHttpServer({ log }, (server) => assemble(server, config, log, tracing));
}

async function assemble(
  server: HttpServer,
  config: LabelWorkerConfig,
  log: Logger,
  tracing: Tracing | undefined,
): Promise<void> {
  const { REDIS_PREFIX: prefix, PRINT_CONCURRENCY: lanes, BATCH_MAX_LABELS: batchLabels } = config;
  /** Bounds a step of closing to a quarter of the shutdown, so that the last step also gets some time. */
  const bounded = (what: string, step: Promise<unknown>) =>
    withTimeout(config.SHUTDOWN_MS / 4, what, step).catch((err) =>
      log.warn({ err }, 'A step of closing was given up'),
    );
  const store = await openRedis(server, config.REDIS_URL);
  const observer = labelMetrics(server.metrics);
  const browser = await launchBrowser(
    {
      executablePath: config.CHROMIUM_PATH,
      document: DOCUMENT,
      lanes,
      timeoutMs: config.PRINT_TIMEOUT_MS,
      healthMs: HEALTH_MS,
      printsEach: config.CHROMIUM_MAX_PRINTS,
      memoryEach: config.CHROMIUM_MAX_MEMORY_MIB * 1024 * 1024,
    },
    log,
    observer,
  );
  const closeBrowser = () => bounded('Closing Chromium', browser.close());
  server.addHook('onClose', closeBrowser); // also when the start fails below
  server.dependencies.set('chromium', { check: () => browser.ping(), required: true });
  chromiumMetrics(server.metrics, browser);
  const worker = startLabelWorker({
    queue: openBlockingRedis(server, config.REDIS_URL),
    store: labelWriter(store, prefix, {
      ttlS: config.LABEL_CACHE_TTL_S,
      most: config.LABEL_CACHE_MAX_LABELS,
    }),
    prefix,
    // Twice what prints at a time: a print slot that becomes free finds its next batch here.
    concurrency: 2 * lanes * batchLabels,
    printer: createLabelPrinter(browser, { lanes, batchLabels }, observer, tracing),
    observer,
    log,
    tracing,
  });
  const heartbeat = startHeartbeat({ redis: store, prefix, worker, browser, log });
  server.addHook('onClose', async () => {
    await Promise.all([
      bounded('The last heartbeat', heartbeat.stop()),
      bounded('Finishing the labels that are printing', worker.close()),
    ]);
    // Ends what still prints; those jobs then leave the worker, and another worker tries them again.
    await closeBrowser();
    await bounded('Closing the queue', worker.close());
  });
}
