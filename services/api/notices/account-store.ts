import type { Connection } from 'mongoose';
import { NOTICE_ACCOUNTS, type NoticeAccount, type NoticeState } from '#shared/notices/notice-model.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';

/** What an account wants. */
type Choice = { active: boolean; states: NoticeState[] };

/** Pause between looks at an account's log, in ms: a process of the release before does not tell of its events. */
const LOOK_MS = 60_000;
const AFTER = { returnDocument: 'after' } as const;

/** What accounts have said of notices, in MongoDB. */
export class NoticeAccounts {
  readonly #clock: DatabaseClock;
  readonly #accounts: StoredModel<NoticeAccount>;

  constructor(connection: Connection) {
    this.#clock = new DatabaseClock(connection);
    this.#accounts = modelOf(connection, NOTICE_ACCOUNTS);
  }

  async find(account: string): Promise<NoticeAccount | undefined> {
    return (await this.#accounts.findById(account).lean()) ?? undefined;
  }

  /** @param last the number of the last entry of the account's log: nobody is told of what was before. */
  async choose(
    account: string,
    { active, states }: Choice,
    setBy: string,
    last: number,
  ): Promise<NoticeAccount> {
    const now = await this.#clock.now();
    const chosen = { states, setBy, setAt: now };
    const goesOn = active && { _id: account, active: true };
    const changed = goesOn && (await this.#accounts.findOneAndUpdate(goesOn, { $set: chosen }, AFTER).lean());
    if (changed) return changed;
    return this.#accounts
      .findOneAndUpdate(
        { _id: account },
        { $set: { ...chosen, active, cursor: last, lookAt: now } },
        { ...AFTER, upsert: true },
      )
      .lean();
  }

  /** Makes an account's log due. */
  async wake(account: string): Promise<void> {
    const now = await this.#clock.now();
    await this.#accounts.updateOne({ _id: account, active: true }, { $min: { lookAt: now } });
  }

  /** Returns the account whose log is due for longest, which no other process then looks at; undefined if none is. */
  async takeDue(): Promise<NoticeAccount | undefined> {
    const now = await this.#clock.now();
    const due = { active: true, lookAt: { $lte: now } };
    const change = { $set: { lookAt: new Date(now.getTime() + LOOK_MS) } };
    return (await this.#accounts.findOneAndUpdate(due, change, { sort: { lookAt: 1 } }).lean()) ?? undefined;
  }

  /** Notes up to where an account's log was looked at. @param againInMs if there is more. */
  async advance(account: string, cursor: number, againInMs: number | undefined): Promise<void> {
    const again = againInMs !== undefined && { $min: { lookAt: await this.#clock.now(againInMs) } };
    await this.#accounts.updateOne({ _id: account }, { $max: { cursor }, ...again });
  }

  /** @returns whether the account had said that it may. */
  async remove(account: string): Promise<boolean> {
    const found = await this.find(account);
    await this.#accounts.deleteMany({ _id: account });
    return found?.active === true;
  }
}
