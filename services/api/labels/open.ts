import type { ApiUser } from '#shared/accounts/user-store.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { loadQueueTelemetry } from '#shared/observability/tracing.ts';
import { openSubscriberRedis } from '#shared/stores/redis.ts';
import type { Accounts } from '../accounts/open.ts';
import { trackingUrl } from '../config.ts';
import type { Guides } from '../guides/open.ts';
import type { Base } from '../http/room.ts';
import { LabelFiles } from './label-files.ts';
import type { LabelAddition } from './label-payload.ts';
import { readLogo } from './logo.ts';
import { requireMarkingApis } from './marking-apis.ts';
import { PrintedLabels } from './printed-labels.ts';

/** What the room provides. */
export type Labels = Awaited<ReturnType<typeof openLabels>>;
export type LabelsContext = Base & Accounts & Guides & Labels;

export async function openLabels(server: HttpServer, context: Base & Accounts) {
  const { config, tracing, labelTimeouts, log, recentSuccesses } = context;
  const labels = new PrintedLabels({
    redis: context.redis,
    cache: context.labelCache,
    subscriber: openSubscriberRedis(server, config.LABEL_CACHE_URL),
    prefix: config.REDIS_PREFIX,
    clock: context.redisClock,
    timeoutMs: labelTimeouts.label,
    metrics: context.metrics,
    processes: context.processes,
    report: context.limitReport,
    onPrinted: () => recentSuccesses.note('print'),
    log,
    telemetry: tracing && (await loadQueueTelemetry()),
  });
  server.addHook('onClose', () => labels.close());
  server.startup.onceConnected('the label queue', () => labels.open());
  // An api with another Redis than the label workers must not get ready: a rollout would replace good ones by it.
  server.dependencies.set('label-workers', { check: () => labels.requireWorkers(), required: false });
  if (!config.TRACKING_URL && !config.PUBLIC_URL) {
    log.warn('The QR codes of labels lead nowhere: set PUBLIC_URL, or TRACKING_URL');
  }
  return {
    labels,
    labelFiles: new LabelFiles({ labels, timeoutMs: labelTimeouts.file }),
    labelSettings: {
      carrier: config.CARRIER_NAME,
      logo: config.CARRIER_LOGO && readLogo(config.CARRIER_LOGO),
      trackingUrl: trackingUrl(config),
    },
    /** @throws DomainError `no-marks` while an api of a release before runs: it would print a new guide without its marks. */
    requireMarks: () => requireMarkingApis(context.redis, config.REDIS_PREFIX),
    /** Rooms above add what they have on labels. */
    labelAdditions: [] as LabelAddition[],
    /** Called with the user and the number of labels of each answer that brings some. Rooms above add theirs. */
    onLabels: [] as ((user: ApiUser, labels: number) => void)[],
  };
}
