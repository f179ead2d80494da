import { setTimeout as delay } from 'node:timers/promises';
import { Counter, type Registry } from 'prom-client';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { type AuditEvent, type AuditStore, auditEvent, type StoredAuditEvent } from './audit-store.ts';

/** Pause between two writes to the database, in ms: events of that time are one insert. */
const FLUSH_MS = 500;
/** Events in memory, of some 500 bytes each; more are dropped, and the log says how many. */
const MAX_WAITING = 2_000;
/** Longest wait of a service that closes for its last events to be stored, in ms. */
const CLOSE_MS = 3_000;

/** Opens the trail of a service; it closes with the server. To be opened after the store's connection. */
export function openTrail(server: HttpServer, service: string, store: AuditStore): Trail {
  const trail = new Trail({ service, store, log: server.log, metrics: server.metrics });
  server.addHook('onClose', () => trail.close());
  return trail;
}

type Options = { service: string; store: AuditStore; log: Pick<Logger, 'info' | 'error'>; metrics: Registry };

/**
 * Records what is done in a service, in the log and in the database. A request never waits for it: events wait in memory
 * and are stored every half second, all at once. While the database is away they are kept, up to a bound.
 */
export class Trail {
  readonly #service: string;
  readonly #store: AuditStore;
  readonly #log: Options['log'];
  readonly #droppedTotal: Counter;
  #waiting: StoredAuditEvent[] = [];
  #dropped = 0;
  #storing: Promise<void> | undefined;
  #closed = false;

  constructor({ service, store, log, metrics }: Options) {
    this.#service = service;
    this.#store = store;
    this.#log = log;
    this.#droppedTotal = new Counter({
      name: 'audit_events_dropped_total',
      help: 'Events that the audit trail lost, as the database was away or too many came at once',
      registers: [metrics],
    });
  }

  /** Records an event that happens now. Its `details` may name a guide or a label, so they are not logged. */
  record(event: Omit<AuditEvent, 'at' | 'service'>): void {
    const stored = auditEvent({ ...event, service: this.#service });
    const { action, actor, account, address, requestId, subject, outcome } = stored;
    this.#log.info(
      { audit: { action, actor, account, address, subject, outcome }, requestId },
      `The trail records the action ${action} of ${actor}: ${outcome}`,
    );
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(stored);
    else this.#dropped++;
    this.#storing ??= this.#storeUntilEmpty();
  }

  /** Stores what waits; gives up after some seconds, so that a service can close while the database is away. */
  async close(): Promise<void> {
    this.#closed = true;
    await withTimeout(CLOSE_MS, 'Storing the last events of the audit trail', this.#flush()).catch((err) =>
      this.#log.error({ err, events: this.#waiting.length }, 'The audit trail lost its last events'),
    );
  }

  async #storeUntilEmpty(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#closed) {
      await delay(FLUSH_MS, undefined, { ref: false });
      await this.#flush().catch((err) =>
        this.#log.error({ err, events: this.#waiting.length }, 'The audit trail could not be stored'),
      );
    }
    this.#storing = undefined;
  }

  async #flush(): Promise<void> {
    this.#reportDropped();
    const events = new Set(this.#waiting);
    if (events.size === 0) return;
    await this.#store.insert([...events]);
    this.#waiting = this.#waiting.filter((event) => !events.has(event));
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#log.error(
      { events: this.#dropped },
      'The audit trail dropped events: too many waited to be stored',
    );
    this.#droppedTotal.inc(this.#dropped);
    this.#dropped = 0;
  }
}
