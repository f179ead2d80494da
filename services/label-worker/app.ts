import { withTimeout } from '#shared/async/with-timeout.ts';
import { ConfigError } from '#shared/config/load-config.ts';
import { isCommon, type LabelShard, labelShards } from '#shared/contracts/label-shards.ts';
import { labelReader, labelWriter, readLabelBytes } from '#shared/contracts/label-store.ts';
import { isReserved } from '#shared/contracts/page-reservations.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { addGauge } from '#shared/observability/metrics.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { openBlockingRedis, openOptionalRedis, openRedis } from '#shared/stores/redis.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { createLabelPrinter } from './batching/label-printer.ts';
import { printUnderlays } from './batching/print-underlays.ts';
import { type PrintingBrowser, startPrintingBrowser } from './chromium/printing-browser.ts';
import type { LabelWorkerConfig } from './config.ts';
import { ImagePrinter } from './images/image-printer.ts';
import { labelDocument } from './label/document.ts';
import { checkTemplates } from './label/template-files/check-templates.ts';
import { type LabelTemplates, loadTemplates, ofEachTemplate } from './label/templates.ts';
import { addChromiumGauges, createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
import { startHeartbeat } from './queue/heartbeat.ts';
import { labelBudget } from './queue/label-budget.ts';
import { startLabelWorker } from './queue/label-worker.ts';

/** Two missed checks in a row replace a Chromium that hangs: within 15 s when nothing prints. */
const HEALTH_INTERVAL_MS = 5_000;

/**
 * Builds the label worker with its Chromium running, whether or not Redis is there; it prints once Redis is. The server
 * has the health pages and is not yet listening; closing it closes everything.
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
  const { PRINT_CONCURRENCY: concurrency, BATCH_MAX_LABELS: maxLabels } = config;
  const shard = ownShard(config);
  const { url, prefix } = shard;
  const stage = closingStage(config.SHUTDOWN_MS, log);
  const metrics = createWorkerMetrics(server.metrics);
  const redis = openRedis(server, url, prefix);
  const common = isCommon(config, shard)
    ? redis
    : openOptionalRedis(server, config.REDIS_URL, { name: 'redis-common', prefix: config.REDIS_PREFIX });
  const labels = openLabels(server, config, redis, shard);
  const blocking = openBlockingRedis(server, url);
  const templates = loadTemplates(config.LABEL_TEMPLATES);
  const browser = await openBrowser(server, config, templates, log, metrics);
  const images = new ImagePrinter({ timeoutMs: config.PRINT_TIMEOUT_MS, metrics });
  const closePrinters = () =>
    Promise.all([
      stage('Closing Chromium', browser.close()),
      stage('Closing the thread that draws pages', images.close()),
    ]);
  server.addHook('onClose', closePrinters); // also when the start fails below
  const printer = createLabelPrinter({
    templates,
    underlays: await printUnderlays(browser.print, templates),
    printHtml: browser.print,
    concurrency,
    maxLabels,
    metrics,
    tracing,
  });
  await checkTemplates(templates, { inspect: browser.inspect, print: printer.print });
  const start = () => {
    const worker = startLabelWorker({
      blocking,
      redis,
      prefix,
      isReserved: (reservation) => isReserved(common, config.REDIS_PREFIX, reservation),
      // Twice what prints at a time: a print slot that becomes free finds its next batch here.
      concurrency: 2 * concurrency * maxLabels,
      printer,
      templates,
      images,
      store: labels.store,
      read: labels.read,
      metrics,
      log,
      tracing,
    });
    const versions = ofEachTemplate(templates, ({ version }) => version);
    const heartbeat = startHeartbeat({
      redis,
      prefix,
      worker,
      chromium: browser.status,
      templates: versions,
      log,
    });
    return { worker, heartbeat };
  };
  let started: ReturnType<typeof start> | undefined;
  server.startup.onceConnected('the label queue', async () => {
    started = start();
  });
  server.addHook('onClose', async () => {
    if (!started) return;
    const { worker, heartbeat } = started;
    await Promise.all([
      stage('Removing the heartbeat', heartbeat.stop()),
      stage('Finishing the labels that are printing', worker.close()),
    ]);
    // Ends what still prints. Those jobs then leave the worker, and another worker tries them again.
    await closePrinters();
    await stage('Closing the queue', worker.close());
  });
}

/** @throws ConfigError where there is no shard that the worker could print for. */
function ownShard(config: LabelWorkerConfig): LabelShard {
  const shards = labelShards(config);
  const shard = shards[config.SHARD];
  if (shard) return shard;
  throw new ConfigError(
    `Wrong configuration:\n  SHARD is ${config.SHARD}, but REDIS_URLS has ${shards.length}, counted from 0.`,
  );
}

/** Opens the store of finished labels, which keeps to its budget until the server closes. */
function openLabels(
  server: HttpServer,
  config: LabelWorkerConfig,
  queueRedis: RedisClient,
  { url: ownUrl, prefix }: LabelShard,
) {
  const { LABEL_CACHE_URL: url, LABEL_CACHE_TTL_S: ttlS, LABEL_CACHE_MAX_MIB: maxMib } = config;
  const redis = url ? openOptionalRedis(server, url, { name: 'label-cache', prefix }) : queueRedis;
  const shards = labelShards(config).filter((shard) => url || shard.url === ownUrl).length;
  const budget = labelBudget({ redis, prefix, shards }, maxMib * 2 ** 20, server.log);
  const labels = labelWriter(redis, prefix, { ttlS, budget: budget.bytes });
  addGauge(server.metrics, 'label_cache_bytes', 'Size of the finished labels in Redis', () =>
    readLabelBytes(redis, prefix),
  );
  addGauge(server.metrics, 'label_cache_max_bytes', 'Size that the finished labels may have', async () =>
    budget.bytes(),
  );
  server.startup.onceConnected('the store of the finished labels', () => budget.read());
  const stop = budget.watch(labels.trim);
  server.addHook('onClose', async () => stop());
  return { store: labels.store, read: labelReader(redis, prefix).read };
}

/** Opens the browser that prints, as a required dependency of the server, with its metrics. */
async function openBrowser(
  server: HttpServer,
  config: LabelWorkerConfig,
  templates: LabelTemplates,
  log: Logger,
  metrics: WorkerMetrics,
): Promise<PrintingBrowser> {
  const options = {
    executablePath: config.CHROMIUM_PATH,
    sandboxRequired: config.CHROMIUM_SANDBOX === 'required',
    document: labelDocument(templates),
    concurrency: config.PRINT_CONCURRENCY,
    printTimeoutMs: config.PRINT_TIMEOUT_MS,
    maxPrints: config.CHROMIUM_MAX_PRINTS,
    maxMemoryBytes: config.CHROMIUM_MAX_MEMORY_MIB * 2 ** 20,
    healthIntervalMs: HEALTH_INTERVAL_MS,
    onStart: metrics.countStart,
    onStep: metrics.observePhase,
  };
  const browser = await startPrintingBrowser(options, log);
  server.dependencies.set('chromium', { check: browser.requireHealthy, required: true, own: true });
  addChromiumGauges(server.metrics, browser);
  return browser;
}

/**
 * Returns a function that waits for a stage of closing. It waits for a quarter of the shutdown at most, so that the
 * last stage also gets some time, and goes on when the stage fails.
 */
function closingStage(shutdownMs: number, log: Logger) {
  return (what: string, work: Promise<unknown>): Promise<unknown> =>
    withTimeout(shutdownMs / 4, what, work).catch((err) =>
      log.warn({ err }, 'A stage of closing was given up'),
    );
}
