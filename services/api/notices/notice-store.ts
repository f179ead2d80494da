import { hash } from 'node:crypto';
import type { Connection } from 'mongoose';
import { NOTICES, type Notice, type NoticeState, type Outcome } from '#shared/notices/notice-model.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { insertMissing } from '#shared/stores/insert-each.ts';

export type NewNotice = { guide: string; event: string; state: NoticeState; occurred: Date };

const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 30 * DAY_MS;
/** What counts for the limit of a day: what waits, or was sent or tried. */
const COUNTED = [null, 'sent', 'refused'] as const;
/** Most that a list shows: a guide changes its state a few times. */
const MAX_SHOWN = 100;

/** Notices, in MongoDB. */
export class NoticeStore {
  readonly clock: DatabaseClock;
  readonly #notices: StoredModel<Notice>;

  constructor(connection: Connection) {
    this.clock = new DatabaseClock(connection);
    this.#notices = modelOf(connection, NOTICES);
  }

  /**
   * Adds notices of an account that are due now. One of the same event is there once.
   * @param perDay most that are sent in 24 hours. Those beyond it are kept, and not sent.
   * @returns how many are new and beyond it.
   */
  async add(account: string, notices: readonly NewNotice[], perDay: number): Promise<number> {
    const missing = await this.#missing(account, notices);
    if (missing.length === 0) return 0;
    const now = await this.clock.now();
    const expiresAt = new Date(now.getTime() + KEPT_MS);
    const recent = { $gt: new Date(expiresAt.getTime() - DAY_MS) };
    const ofToday = { account, outcome: { $in: COUNTED }, expiresAt: recent };
    const left = perDay - (await this.#notices.countDocuments(ofToday).limit(perDay));
    await insertMissing(
      this.#notices,
      missing.map(({ event, ...notice }, i) => ({
        _id: idOf(account, notice.guide, event),
        ...{ account, ...notice, tries: 0, expiresAt },
        ...(i < left ? { dueAt: now } : { outcome: 'overLimit' as const }),
      })),
    );
    return missing.length - Math.min(missing.length, left);
  }

  /** After a crash the same events are read again, and take no place of the day a second time. */
  async #missing(account: string, notices: readonly NewNotice[]): Promise<NewNotice[]> {
    if (notices.length === 0) return [];
    const ids = notices.map(({ guide, event }) => idOf(account, guide, event));
    const found = await this.#notices
      .find({ _id: { $in: ids } })
      .select<{ _id: string }>({ _id: 1 })
      .lean();
    const stored = new Set(found.map(({ _id }) => _id));
    return notices.filter((_, i) => !stored.has(ids[i] ?? ''));
  }

  /**
   * Takes the notice that is due for longest, so that no process takes it again, also after a crash.
   * @param busy accounts whose notices wait.
   */
  async take(busy: readonly string[]): Promise<Notice | undefined> {
    const now = await this.clock.now();
    const due = { dueAt: { $lte: now }, ...(busy.length > 0 && { account: { $nin: [...busy] } }) };
    const change = { $unset: { dueAt: 1 }, $set: { triedAt: now }, $inc: { tries: 1 } } as const;
    const options = { sort: { dueAt: 1 }, returnDocument: 'after' } as const;
    return (await this.#notices.findOneAndUpdate(due, change, options).lean()) ?? undefined;
  }

  /** Lets a notice be taken again. Only for one that surely was not sent. */
  async giveBack({ _id }: Notice, dueAt: Date): Promise<void> {
    await this.#notices.updateOne({ _id, outcome: { $exists: false } }, { $set: { dueAt } });
  }

  async end({ _id }: Notice, outcome: Outcome, reply?: number): Promise<void> {
    await this.#notices.updateOne({ _id }, { $set: { outcome, ...(reply !== undefined && { reply }) } });
  }

  /** Returns the notices of a guide, the oldest first. */
  ofGuide(guide: string): Promise<Notice[]> {
    return this.#notices.find({ guide }).sort({ occurred: 1, _id: 1 }).limit(MAX_SHOWN).lean().exec();
  }
}

/** Returns a notice's id. No name of an account and no number of a guide has a blank. */
export function idOf(account: string, guide: string, event: string): string {
  return hash('sha256', `${account} ${guide} ${event}`, 'base64url');
}
