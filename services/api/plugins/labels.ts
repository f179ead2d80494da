import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { openOptionalRedis, openSubscriberRedis } from '#shared/stores/redis.ts';
import { type ApiOptions, trackingUrl } from '../config.ts';
import { LabelClient } from '../labels/label-client.ts';
import { LabelFilePrinter } from '../labels/label-file.ts';
import type { LabelSettings } from '../labels/label-payload.ts';
import { readLogo } from '../labels/logo.ts';

declare module 'fastify' {
  interface FastifyInstance {
    labels: LabelClient;
    labelFiles: LabelFilePrinter;
    labelSettings: LabelSettings;
  }
}

export default fp(
  async (server: HttpServer, { config, tracing }: ApiOptions) => {
    const labels = new LabelClient({
      redis: server.redis,
      cache: openOptionalRedis(server, config.LABEL_CACHE_URL, 'label-cache'),
      subscriber: openSubscriberRedis(server, config.LABEL_CACHE_URL),
      prefix: config.REDIS_PREFIX,
      timeoutMs: config.LABEL_TIMEOUT_MS,
      metrics: server.metrics,
      report: server.quotaReport,
      log: server.log,
      tracing,
    });
    server.addHook('onClose', () => labels.close());
    server.startup.onceConnected('the label queue', () => labels.open());
    server.decorate('labels', labels);
    server.decorate('labelFiles', new LabelFilePrinter({ labels, timeoutMs: config.LABEL_FILE_TIMEOUT_MS }));
    if (!config.TRACKING_URL && !config.PUBLIC_URL) {
      server.log.warn('The QR codes of labels lead nowhere: set PUBLIC_URL, or TRACKING_URL');
    }
    server.decorate('labelSettings', {
      carrier: config.CARRIER_NAME,
      logo: config.CARRIER_LOGO && readLogo(config.CARRIER_LOGO),
      trackingUrl: trackingUrl(config),
    });
  },
  { name: 'labels', dependencies: ['stores', 'limits'] },
);
