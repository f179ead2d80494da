import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { loadQueueTelemetry } from '#shared/observability/tracing.ts';
import { AnswerLog } from '#shared/stores/answer-log.ts';
import { openLabelCache, openSubscriberRedis } from '#shared/stores/redis.ts';
import { type ApiOptions, trackingUrl } from '../config.ts';
import { LabelClient } from '../labels/label-client.ts';
import { LabelFilePrinter } from '../labels/label-file.ts';
import type { LabelSettings } from '../labels/label-payload.ts';
import { readLogo } from '../labels/logo.ts';

declare module 'fastify' {
  interface FastifyInstance {
    labels: LabelClient;
    answers: AnswerLog;
    labelFiles: LabelFilePrinter;
    labelSettings: LabelSettings;
  }
}

export const labelsPlugin = fp(async (server: HttpServer, { config, tracing, labelTimeouts }: ApiOptions) => {
  const cache = openLabelCache(server, config.LABEL_CACHE_URL, config.REDIS_PREFIX);
  const answers = new AnswerLog(cache, config.REDIS_PREFIX, server.log);
  server.addHook('onClose', () => answers.write());
  server.decorate('answers', answers);
  const labels = new LabelClient({
    redis: server.redis,
    cache,
    subscriber: openSubscriberRedis(server, config.LABEL_CACHE_URL),
    prefix: config.REDIS_PREFIX,
    clock: server.redisClock,
    timeoutMs: labelTimeouts.label,
    metrics: server.metrics,
    report: server.quotaReport,
    log: server.log,
    telemetry: tracing && (await loadQueueTelemetry()),
  });
  server.addHook('onClose', () => labels.close());
  server.startup.onceConnected('the label queue', () => labels.open());
  server.decorate('labels', labels);
  server.decorate('labelFiles', new LabelFilePrinter({ labels, timeoutMs: labelTimeouts.file }));
  if (!config.TRACKING_URL && !config.PUBLIC_URL) {
    server.log.warn('The QR codes of labels lead nowhere: set PUBLIC_URL, or TRACKING_URL');
  }
  server.decorate('labelSettings', {
    carrier: config.CARRIER_NAME,
    logo: config.CARRIER_LOGO && readLogo(config.CARRIER_LOGO),
    trackingUrl: trackingUrl(config),
  });
});
