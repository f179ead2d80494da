import fp from 'fastify-plugin';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { loadQueueTelemetry } from '#shared/observability/tracing.ts';
import { openSubscriberRedis } from '#shared/stores/redis.ts';
import { type ApiOptions, trackingUrl } from '../config.ts';
import { LabelFiles } from './label-files.ts';
import type { LabelSettings } from './label-payload.ts';
import { readLogo } from './logo.ts';
import { PrintedLabels } from './printed-labels.ts';

declare module 'fastify' {
  interface FastifyInstance {
    labels: PrintedLabels;
    labelFiles: LabelFiles;
    labelSettings: LabelSettings;
    /** Called with the user and the number of labels of each answer that brings some. */
    onLabels: ((user: ApiUser, labels: number) => void)[];
  }
}

export const labelsPlugin = fp(async (server: HttpServer, { config, tracing, labelTimeouts }: ApiOptions) => {
  const labels = new PrintedLabels({
    redis: server.redis,
    cache: server.labelCache,
    subscriber: openSubscriberRedis(server, config.LABEL_CACHE_URL),
    prefix: config.REDIS_PREFIX,
    clock: server.redisClock,
    timeoutMs: labelTimeouts.label,
    metrics: server.metrics,
    processes: server.processes,
    report: server.limitReport,
    onPrinted: () => server.recentSuccesses.note('print'),
    log: server.log,
    telemetry: tracing && (await loadQueueTelemetry()),
  });
  server.addHook('onClose', () => labels.close());
  server.startup.onceConnected('the label queue', () => labels.open());
  // An api with another Redis than the label workers must not get ready: a rollout would replace good ones by it.
  server.dependencies.set('label-workers', { check: () => labels.requireWorkers(), required: false });
  server.decorate('labels', labels);
  server.decorate('onLabels', []);
  server.decorate('labelFiles', new LabelFiles({ labels, timeoutMs: labelTimeouts.file }));
  if (!config.TRACKING_URL && !config.PUBLIC_URL) {
    server.log.warn('The QR codes of labels lead nowhere: set PUBLIC_URL, or TRACKING_URL');
  }
  server.decorate('labelSettings', {
    carrier: config.CARRIER_NAME,
    logo: config.CARRIER_LOGO && readLogo(config.CARRIER_LOGO),
    trackingUrl: trackingUrl(config),
  });
});
