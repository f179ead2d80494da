import type { Worker } from 'bullmq';
import { ActionCounts } from '#shared/actions/action-counts.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { startHeartbeats } from '#shared/http/heartbeats.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { SHUTDOWN_MS } from '#shared/http/run-service.ts';
import { LabelCache } from '#shared/labels/label-cache.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { loadQueueTelemetry, type Tracing } from '#shared/observability/tracing.ts';
import { PRINT_TIMEOUT_MS } from '#shared/printing/label-job.ts';
import { ofEachPrint } from '#shared/printing/print-kinds.ts';
import { openBlockingRedis, openLabelCache, openRedis } from '#shared/stores/redis.ts';
import { RedisClock } from '#shared/stores/redis-clock.ts';
import { readRedisState } from '#shared/stores/redis-state.ts';
import { LabelPrinter } from './batching/label-printer.ts';
import { CapacityMeter } from './batching/print-capacity.ts';
import { printUnderlays } from './batching/print-underlays.ts';
import { TRIAL } from './batching/trial-print.ts';
import { type PrintingBrowser, startPrintingBrowser } from './browser/printing-browser.ts';
import type { LabelWorkerConfig } from './config.ts';
import { Rasterizer } from './images/rasterizer.ts';
import { DOCUMENT } from './label/document.ts';
import { loadTemplates } from './label/templates.ts';
import { addChromiumGauges, createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
import { workerDetails } from './queue/heartbeat.ts';
import { startLabelWorker } from './queue/label-worker.ts';
import { tryTemplates } from './try-templates.ts';

/** Larger batches print no faster, and the first label of a batch waits for the last. */
const BATCH_LABELS = 25;

/** Builds the label worker, not yet listening, with its Chromium running, even while Redis is away. */
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
  const { PRINT_CONCURRENCY: concurrency, REDIS_PREFIX: prefix } = config;
  const stage = closingStage(log);
  const metrics = createWorkerMetrics(server.metrics);
  const redis = openRedis(server, config.REDIS_URL, prefix);
  const clock = new RedisClock(redis);
  const counts = new ActionCounts(redis, prefix, clock, log);
  const blocking = openBlockingRedis(server, config.REDIS_URL);
  const cacheRedis = openLabelCache(server, config.LABEL_CACHE_URL, prefix);
  const cache = new LabelCache(cacheRedis, prefix);
  const awaited = (keys: readonly string[]) => cache.awaited(keys);
  const templates = loadTemplates(config.LABEL_TEMPLATES);
  let started: ReturnType<typeof start> | undefined;
  const onServing = () => started && followChromium(started.worker, browser);
  const browser = await openBrowser(server, config, log, metrics, onServing);
  const images = new Rasterizer({ timeoutMs: PRINT_TIMEOUT_MS, metrics, awaited });
  const closePrinters = () =>
    Promise.all([
      stage('Closing Chromium', browser.close()),
      stage('Closing the thread that draws pages', images.close()),
    ]);
  server.addHook('onClose', closePrinters); // also when the start fails below
  const underlays = await printUnderlays(browser.printHtml, templates);
  const printing = {
    templates,
    underlays,
    printHtml: browser.printHtml,
    tryPrint: browser.tryPrint,
    concurrency,
    maxLabels: BATCH_LABELS,
  };
  // Trial labels count in no metric.
  const warnings = await tryTemplates(templates, new LabelPrinter({ ...printing, concurrency: 1 }));
  for (const warning of warnings) log.warn(warning);
  const meter = new CapacityMeter(concurrency);
  const printer = new LabelPrinter({ ...printing, awaited, metrics, meter, tracing });
  const telemetry = tracing && (await loadQueueTelemetry());
  const start = () => {
    const worker = startLabelWorker({
      blocking,
      prefix,
      clock,
      cache,
      // Twice the concurrent prints, so that a free print slot finds its next batch here.
      concurrency: 2 * concurrency * BATCH_LABELS,
      printer,
      templates,
      images,
      counts,
      metrics,
      log,
      telemetry,
    });
    const versions = ofEachPrint((kind) => templates[kind].version);
    const details = workerDetails({
      worker,
      chromium: browser.status,
      templates: versions,
      labelCache: () => readRedisState(cacheRedis),
      capacity: () => meter.capacity(),
    });
    const { dependencies } = server;
    const heartbeat = startHeartbeats({ redis, prefix, dependencies, details, log });
    return { worker, heartbeat };
  };
  server.startup.onceConnected('the label queue', async () => {
    await clock.start();
    started = start();
    followChromium(started.worker, browser);
  });
  server.addHook('onClose', async () => {
    clock.stop();
    if (!started) return;
    const { worker, heartbeat } = started;
    await Promise.all([
      stage('Removing the heartbeat', heartbeat.stop()),
      stage('Finishing the labels that are printing', worker.close()),
    ]);
    // Ends running prints. Their jobs then leave the worker, and another worker tries them again.
    await closePrinters();
    await stage('Closing the queue', worker.close());
    await stage('Writing the last counts', counts.write());
  });
}

/** Takes jobs only while Chromium runs, but for one that the worker already waits for when Chromium fails. Otherwise a worker whose Chromium does not start would fail the jobs of all. */
function followChromium(
  worker: Pick<Worker, 'pause' | 'resume'>,
  { status }: Pick<PrintingBrowser, 'status'>,
): void {
  if (status().state === 'running') void worker.resume();
  else void worker.pause(true); // the labels in hand go on
}

async function openBrowser(
  server: HttpServer,
  config: LabelWorkerConfig,
  log: Logger,
  metrics: WorkerMetrics,
  onServing: () => void,
): Promise<PrintingBrowser> {
  const options = {
    executablePath: config.CHROMIUM_PATH,
    sandboxRequired: config.CHROMIUM_SANDBOX === 'required',
    document: DOCUMENT,
    trial: TRIAL,
    concurrency: config.PRINT_CONCURRENCY,
    printTimeoutMs: PRINT_TIMEOUT_MS,
    onStart: metrics.countStart,
    onServing,
    onStep: metrics.observePhase,
    onBrokenPicture: () =>
      log.error(
        'Chromium cannot draw a picture, so labels print without it: replace the file of CARRIER_LOGO, or the picture in LABEL_TEMPLATES',
      ),
  };
  const browser = await startPrintingBrowser(options, log);
  server.dependencies.set('chromium', { check: browser.requireHealthy, required: true, own: true });
  addChromiumGauges(server.metrics, browser);
  return browser;
}

/** Waits for a stage of closing for at most a quarter of the shutdown, and ignores its failure. */
function closingStage(log: Logger) {
  return (what: string, work: Promise<unknown>): Promise<unknown> =>
    withTimeout(SHUTDOWN_MS / 4, what, work).catch((err) =>
      log.warn({ err }, 'A stage of closing was given up'),
    );
}
