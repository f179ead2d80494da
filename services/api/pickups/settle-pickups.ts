import { setTimeout as delay } from 'node:timers/promises';
import fastq from 'fastq';
import type { Logger } from '#shared/observability/logger.ts';
import { isOpen, LATE_MS, NO_NEWS } from '#shared/pickups/pickup.ts';
import type { Pickup } from '#shared/pickups/pickup-model.ts';
import { chunks } from '#shared/stores/chunks.ts';
import { isServerAway } from '#shared/stores/transient-errors.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import type { Tracking } from '../tracking/open.ts';
import { changePickup, failedAt } from './change-pickup.ts';
import type { PickupStore } from './pickup-store.ts';
import { endByScans } from './scans.ts';

/** Pause before the pick-ups of an account are looked at, in ms: many scanners' events are looked at together. */
const COLLECTING_MS = 200;
/** Accounts that are looked at side by side. */
const AT_ONCE = 4;
/** Entries of a log, and guides, that are read in one query. */
const ENTRIES = 1_000;
const GUIDES = 500;
/** Pick-ups that are scheduled, or given up, in one sweep. */
const SWEPT_AT_ONCE = 500;

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
    for (const pickup of await pickups.dueForSchedule(now, SWEPT_AT_ONCE)) {
      const change = { to: 'Programada', occurred: pickup.window.closesAt } as const;
      await this.#goingOn({ pickup: pickup._id }, () => changePickup(pickups, pickup, change));
    }
  }

  /** Looks at the accounts whose events nobody has looked at, since a process of an earlier release or one that died registered them. */
  async sweep(): Promise<void> {
    const { pickups, eventLog } = this.#deps;
    const since = await pickups.clock.now(-LATE_MS);
    for (const [account, seen] of await pickups.accountsAwaitingScans(since)) {
      await this.#goingOn({ account }, async () => {
        if (seen < 0 || seen < (await eventLog.last(account))) await this.settle(account);
      });
    }
  }

  /** Ends what is still open when its time for scans is over: guides and manifest must not stay in it for ever. */
  async giveUp(): Promise<void> {
    const { pickups } = this.#deps;
    const endedBy = await pickups.clock.now(-LATE_MS);
    for (const pickup of await pickups.openSinceWindow(endedBy, SWEPT_AT_ONCE)) {
      await this.#goingOn({ pickup: pickup._id }, async () => {
        // Scans that no look has found end it first: those in the log of an account that its guides were moved from.
        const read = (pickup.guides && (await this.#end(pickup))) ?? pickup;
        const occurred = new Date(pickup.window.endsAt.getTime() + LATE_MS);
        if (isOpen(read.status))
          await changePickup(pickups, read, { to: 'Fallida', reason: NO_NEWS, occurred });
      });
    }
  }

  /**
   * Works for one pick-up, or one account. One that always fails keeps none behind it from its turn.
   *
   * @returns whether it was done. @throws an error of a MongoDB that is away, for which all wait.
   */
  async #goingOn(
    one: { pickup: string } | { account: string },
    work: () => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (err) {
      if (isServerAway(err)) throw err;
      this.#deps.log.warn(
        { err, ...one },
        'A pick-up, or an account with pick-ups, waits for the next sweep',
      );
      return false;
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
    const looked: Pickup[] = [];
    for (const pickup of waiting) {
      const look = () => this.#end(pickup);
      if (!isTouched(pickup) || (await this.#goingOn({ pickup: pickup._id }, look))) looked.push(pickup);
    }
    const behind = looked.filter(({ seen }) => seen === undefined || seen < news.upTo);
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

  /** @returns the pick-up after its end; undefined if scans do not end it. */
  async #end(pickup: Pickup): Promise<Pickup | undefined> {
    const { pickups, eventLog } = this.#deps;
    const { guides = [], manifest, status, createdUtc } = pickup;
    const told: EventBody[] = [];
    for (const some of chunks(guides, GUIDES)) {
      for (const entry of await eventLog.ofGuides(some)) told.push(entry.told);
    }
    const awaiting = { status, createdUtc, guides, failed: failedAt(pickup) };
    const end = endByScans({ ...awaiting, ...(manifest && { manifest }) }, told);
    return end && (await changePickup(pickups, pickup, end)).pickup;
  }
}
