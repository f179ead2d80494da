import { type Connection, type Model, Schema } from 'mongoose';
import { RecentAnswers } from '#shared/async/recent-answers.ts';

/** What the users of one account may use together (docs/contract.md "Limits"). */
export type AccountLimits = {
  /** Requests a second, in the long run. */
  requestsPerSecond: number;
  /** Requests at once, after a pause. */
  requestsBurst: number;
  /** Guides created in a day of the service's time zone. */
  guidesPerDay: number;
  /** Label pages in flight at a time. */
  labelPages: number;
};
type AccountDocument = Partial<AccountLimits> & { _id: string };

/** A change must be in force everywhere within 10 s (docs/contract.md "Limits"), with the user's own 5 s. */
const CACHE_TTL_MS = 5_000;
const CACHE_MAX_ACCOUNTS = 10_000;

/** The limits of accounts: those of the configuration, but for what MongoDB's `accounts` says of an account. */
export class AccountLimitsStore {
  readonly #accounts: Model<AccountDocument>;
  readonly #recent: RecentAnswers<AccountLimits>;

  /** @param defaults the limits of an account of which nothing is stored. */
  constructor(connection: Connection, defaults: AccountLimits) {
    this.#accounts = connection.model<AccountDocument>(
      'Account',
      new Schema<AccountDocument>(
        {
          _id: String,
          requestsPerSecond: Number,
          requestsBurst: Number,
          guidesPerDay: Number,
          labelPages: Number,
        },
        { versionKey: false },
      ),
      'accounts',
    );
    this.#recent = new RecentAnswers(CACHE_TTL_MS, CACHE_MAX_ACCOUNTS, async (account) => {
      const stored = await this.#accounts.findById(account, { _id: 0 }).lean();
      return { ...defaults, ...stored };
    });
  }

  /** Returns an account's limits as stored at most five seconds ago. */
  findRecent(account: string): Promise<AccountLimits> {
    return this.#recent.get(account);
  }
}
