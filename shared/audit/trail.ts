import { Counter, type Registry } from 'prom-client';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { type AuditEvent, type AuditStore, auditEvent } from './audit-store.ts';

/** Opens the trail of a service; it closes with the server. To be opened after the store's connection. */
export function openTrail(server: HttpServer, service: string, store: AuditStore): Trail {
  const trail = new Trail({ service, store, log: server.log, metrics: server.metrics });
  server.addHook('onClose', () => trail.close());
  return trail;
}

type Options = { service: string; store: AuditStore; log: Pick<Logger, 'info' | 'error'>; metrics: Registry };

/**
 * Records what is done in a service, in the log and in the database. A request waits for neither. While the database is
 * away, the log alone has the events.
 */
export class Trail {
  readonly #options: Options;
  readonly #lost: Counter;
  readonly #storing = new Set<Promise<void>>();

  constructor(options: Options) {
    this.#options = options;
    this.#lost = new Counter({
      name: 'audit_events_dropped_total',
      help: 'Events that the audit trail lost, as the database did not take them',
      registers: [options.metrics],
    });
  }

  /** Records an event that happens now. Its `details` may name a guide or a label, so they are not logged. */
  record(event: Omit<AuditEvent, 'at' | 'service'>): void {
    const { service, store, log } = this.#options;
    const stored = auditEvent({ ...event, service });
    const { action, actor, account, address, requestId, subject, outcome } = stored;
    log.info(
      { audit: { action, actor, account, address, subject, outcome }, requestId },
      `The trail records the action ${action} of ${actor}: ${outcome}`,
    );
    const storing = store
      .insert(stored)
      .catch((err: unknown) => {
        this.#lost.inc();
        log.error({ err, action, requestId }, 'The audit trail lost an event');
      })
      .finally(() => this.#storing.delete(storing));
    this.#storing.add(storing);
  }

  /** Waits for the events that are being stored: no longer than the database's driver does. */
  async close(): Promise<void> {
    await Promise.all(this.#storing);
  }
}
