import { setTimeout as delay } from 'node:timers/promises';
import fastq from 'fastq';
import type { Logger } from '#shared/observability/logger.ts';
import type { Pickup } from '#shared/pickups/pickup-model.ts';
import { chunks } from '#shared/stores/chunks.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import type { Tracking } from '../tracking/open.ts';
import { changePickup, failedAt } from './change-pickup.ts';
import type { PickupStore } from './pickup-store.ts';
import { endByScans } from './scans.ts';

/** How long after its window a failed pick-up may still become collected by a late scan, in ms. */
const LATE_MS = 14 * 24 * 3_600_000;
/** Pause before the pick-ups of an account are looked at, in ms: many scanners' events are looked at together. */
const COLLECTING_MS = 200;
/** Accounts that are looked at side by side. */
const AT_ONCE = 4;
/** Entries of a log, and guides, that are read in one query. */
const ENTRIES = 1_000;
const GUIDES = 500;
/** Pick-ups that are scheduled in one sweep. */
const SCHEDULED_AT_ONCE = 500;

type Deps = { pickups: PickupStore; log: Pick<Logger, 'info' | 'warn'> } & Pick<Tracking, 'eventLog'>;

/**
 * Ends pick-ups by the events of their guides, and schedules them at the cut-off where the calendar says so. Each pick-up knows up to
 * which event of the account's log it was looked at, so that a process that dies loses nothing: the next look goes on there.
 */
export class PickupSettler {
  readonly #deps: Deps;
  readonly #due = new Set<string>();
  readonly #turns = fastq.promise((account: string) => this.#takeTurn(account), AT_ONCE);

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Looks at an account's pick-ups soon, because its log has grown. If that fails, the next sweep does. */
  soon(account: string): void {
    if (this.#due.has(account)) return;
    this.#due.add(account);
    this.#turns
      .push(account)
      .catch((err) =>
        this.#deps.log.warn({ err, account }, 'The pick-ups of an account wait for the next sweep'),
      );
  }

  async #takeTurn(account: string): Promise<void> {
    await delay(COLLECTING_MS, undefined, { ref: false });
    this.#due.delete(account);
    await this.settle(account);
  }

  /** Schedules what is due. */
  async schedule(): Promise<void> {
    const { pickups } = this.#deps;
    const now = await pickups.clock.now();
    for (const pickup of await pickups.dueForSchedule(now, SCHEDULED_AT_ONCE)) {
      await changePickup(pickups, pickup, { to: 'Programada', occurred: pickup.window.closesAt });
    }
  }

  /** Looks at the accounts whose events nobody has looked at, since a process of an earlier release or one that died registered them. */
  async sweep(): Promise<void> {
    const { pickups, eventLog } = this.#deps;
    const since = await pickups.clock.now(-LATE_MS);
    for (const [account, seen] of await pickups.accountsAwaitingScans(since)) {
      if (seen < 0 || seen < (await eventLog.last(account))) await this.settle(account);
    }
  }

  /** Ends pick-ups of an account by what was registered since they were looked at. */
  async settle(account: string): Promise<void> {
    const { pickups } = this.#deps;
    const waiting = await pickups.awaitingScans(account, await pickups.clock.now(-LATE_MS));
    if (waiting.length === 0) return;
    const news = await this.#newsSince(account, waiting);
    const isTouched = ({ seen, guides = [] }: Pickup) =>
      seen === undefined || guides.some((guide) => news.guides.has(guide));
    for (const pickup of waiting.filter(isTouched)) await this.#end(pickup);
    const behind = waiting.filter(({ seen }) => seen === undefined || seen < news.upTo);
    if (behind.length > 0) {
      await pickups.markSeen(
        behind.map(({ _id }) => _id),
        news.upTo,
      );
    }
  }

  /** Returns the guides with entries that some of these pick-ups have not seen, and the last entry that was read. */
  async #newsSince(account: string, waiting: readonly Pickup[]) {
    const { eventLog } = this.#deps;
    const last = await eventLog.last(account);
    const guides = new Set<string>();
    let upTo = Math.min(last, ...waiting.flatMap(({ seen }) => seen ?? []));
    while (upTo < last) {
      const page = await eventLog.page(account, upTo, ENTRIES, last);
      for (const { told } of page.entries) guides.add(told.Guia);
      if (page.next === upTo) break; // the rest is not shown yet, and its end wakes this account again
      upTo = page.next;
    }
    return { guides, upTo };
  }

  async #end(pickup: Pickup): Promise<void> {
    const { pickups, eventLog } = this.#deps;
    const { guides = [], manifest, status, createdUtc } = pickup;
    const told: EventBody[] = [];
    for (const some of chunks(guides, GUIDES)) {
      for (const entry of await eventLog.ofGuides(some)) told.push(entry.told);
    }
    const awaiting = { status, createdUtc, guides, failed: failedAt(pickup) };
    const end = endByScans({ ...awaiting, ...(manifest && { manifest }) }, told);
    if (end) await changePickup(pickups, pickup, end);
  }
}
