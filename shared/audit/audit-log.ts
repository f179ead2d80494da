import { setTimeout as delay } from 'node:timers/promises';
import { Counter, type Registry } from 'prom-client';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { type AuditDocument, type AuditEvent, type AuditStore, auditEvent } from './audit-store.ts';

/** Opens the audit log of a service, which closes with the server. Open it after the store's connection. */
export function openAuditLog(server: HttpServer, service: string, store: AuditStore): AuditLog {
  const auditLog = new AuditLog({ service, store, log: server.log, metrics: server.metrics });
  server.addHook('onClose', () => auditLog.close());
  return auditLog;
}

/** Longest wait for the database. An operator must be able to pause the queue while the database hangs. */
const WAIT_MS = 1_000;
/** Pause before the database is asked again to store an event, and most events that wait for it. */
const AGAIN_MS = 5_000;
const MAX_WAITING = 1_000;

type Options = { service: string; store: AuditStore; log: Pick<Logger, 'info' | 'error'>; metrics: Registry };

/**
 * Logs each action in a service at once, and then stores it. While the database is away, events wait in this process. If it
 * ends meanwhile, or too many wait, only the log has them.
 */
export class AuditLog<Action extends string = string> {
  readonly #options: Options;
  readonly #lost: Counter;
  readonly #storing = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #waiting = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#lost = new Counter({
      name: 'audit_events_dropped_total',
      help: 'Events that the audit log lost, because the database did not take them',
      registers: [options.metrics],
    });
  }

  /**
   * Records an event that happens now. Its `details` may name a guide or a label, so they are not logged.
   * @returns a promise that resolves when the event is stored or lost, or after a second. It never rejects.
   */
  record(event: Omit<AuditEvent, 'at' | 'service'> & { action: Action }): Promise<void> {
    const { service, log } = this.#options;
    const stored = auditEvent({ ...event, service });
    const { action, actor, account, address, requestId, subject, outcome } = stored;
    log.info(
      { audit: { action, actor, account, address, subject, outcome }, requestId },
      `The audit log records the action ${action} of ${actor}: ${outcome}`,
    );
    const storing = this.#store(stored)
      .catch((err: unknown) => {
        this.#lost.inc();
        log.error({ err, action, requestId }, 'The audit log lost an event');
      })
      .finally(() => this.#storing.delete(storing));
    this.#storing.add(storing);
    return withTimeout(WAIT_MS, 'Storing an event of the audit log', storing).catch(() => {});
  }

  /** Number of events that wait for the database to come back. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Waits until pending events are stored, or the driver of MongoDB has given up. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#storing);
  }

  /** @throws if the database refuses the event, or is away when the process closes or too many events wait. */
  async #store(event: AuditDocument): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      try {
        return await this.#options.store.insert(event);
      } catch (error) {
        if (!isTransientError(error) || signal.aborted || this.#waiting >= MAX_WAITING) throw error;
      }
      this.#waiting++;
      await delay(AGAIN_MS, undefined, { signal, ref: false }).catch(() => {});
      this.#waiting--;
    }
  }
}
