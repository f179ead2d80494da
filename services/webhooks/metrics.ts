import { Counter, Histogram, type Registry } from 'prom-client';
import { addGauge } from '#shared/observability/metrics.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import type { WebhookFigures } from '#shared/webhooks/webhook-figures.ts';
import type { Outcome } from './webhook-client.ts';

export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

export function createWebhookMetrics(registry: Registry, figures: WebhookFigures) {
  const registers = [registry];
  const messages = new Counter({
    name: 'webhook_messages_total',
    help: 'Messages posted to webhooks: taken, or failed and to be tried again',
    labelNames: ['result'],
    registers,
  });
  const delays = new Histogram({
    name: 'webhook_delay_seconds',
    help: 'Time from the registration of an event until a webhook took it',
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 300, 600, 3_600],
    registers,
  });
  const disabled = new Counter({
    name: 'webhooks_switched_off_total',
    help: 'Webhooks that were disabled: their receiver answered 410, or took nothing for five days',
    registers,
  });
  for (const result of ['taken', 'failed']) messages.inc({ result }, 0);
  addGauge(
    registry,
    'webhooks_behind',
    'Webhooks whose next event has waited for more than ten minutes, or that no sender has looked at for as long',
    () => figures.countBehind(),
  );
  return {
    observe({ failure }: Outcome, entries: readonly Pick<LogEntry, 'registered'>[], now: Date) {
      messages.inc({ result: failure === undefined ? 'taken' : 'failed' });
      if (failure !== undefined) return;
      for (const { registered } of entries) delays.observe((now.getTime() - registered.getTime()) / 1_000);
    },
    countDisabled: () => disabled.inc(),
  };
}
