import type { Connection } from 'mongoose';
import { ACCOUNTS, type AccountDocument } from '#shared/accounts/account-model.ts';
import { type ApiUser, RECENT } from '#shared/accounts/user-store.ts';
import { DomainError, type ErrorCode } from '#shared/errors/domain-error.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { StaleIfErrorCache } from '#shared/stores/stale-if-error-cache.ts';
import type { Bearer } from './bearer.ts';
import type { TokenClaims } from './open-tokens.ts';

/** What the users of one account may use together (docs/contract.md "Limits"). */
export type AccountLimits = Required<Omit<AccountDocument, '_id' | 'unquotedGuides'>>;
export type AccountSettings = AccountLimits & Pick<AccountDocument, 'unquotedGuides'>;
export type LimitState = {
  /** The limit's name on the wire: requests, guides of the day, label pages in flight. */
  policy: 'solicitudes' | 'guias' | 'etiquetas';
  max: number;
  /** Time in which an unused limit comes back whole, in seconds; absent where it bounds what is in flight. */
  windowS?: number;
  remaining: number;
  /** Time until the limit is whole again, in seconds; absent where only the account's own work decides. */
  resetS?: number;
};

/** An account has reached a limit; the answer has its headers and `Retry-After`. */
export class LimitReached extends DomainError {
  readonly state: LimitState;

  constructor(code: ErrorCode, state: LimitState, seconds: number | undefined) {
    super(code, { params: { seconds } });
    this.state = state;
  }
}

/**
 * The authenticated user of a request, with what the credential leaves of the permissions.
 * `token`: absent if the request came by an API key.
 * `expiresAt`: absent if the credential has no end.
 */
export type Caller = ApiUser & Omit<Bearer, 'user'> & { settings: AccountSettings; token?: TokenClaims };

const CACHE_MAX_ACCOUNTS = 20_000;

export class AccountLimitsStore {
  readonly #accounts: StoredModel<AccountDocument>;

  constructor(connection: Connection) {
    this.#accounts = modelOf(connection, ACCOUNTS);
  }

  /** Returns the account's own settings, without those of the configuration. */
  async find(account: string): Promise<Partial<AccountSettings>> {
    const own = await this.#accounts.findOne({ _id: account }, { _id: 0 }).lean();
    return own ?? {};
  }

  /** Returns the own limits of those of these accounts that have any. */
  async findAll(accounts: readonly string[]): Promise<Map<string, Partial<AccountLimits>>> {
    const found = await this.#accounts
      .find({ _id: { $in: [...accounts] } })
      .sort({ _id: 1 })
      .lean();
    const limits = found.map(({ _id, unquotedGuides, ...limits }) => [_id, limits] as const);
    return new Map(limits.filter(([, limits]) => Object.keys(limits).length > 0));
  }

  async set(account: string, change: Partial<AccountSettings>): Promise<void> {
    await this.#accounts.updateOne({ _id: account }, { $set: change }, { upsert: true });
  }

  /** Takes some of the account's own settings back. */
  async unset(account: string, names: readonly (keyof AccountSettings)[]): Promise<void> {
    const $unset = Object.fromEntries(names.map((name) => [name, 1]));
    await this.#accounts.updateOne({ _id: account }, { $unset });
  }

  async remove(account: string): Promise<void> {
    await this.#accounts.deleteOne({ _id: account });
  }
}

/** Returns a function that returns an account's settings, at most five seconds old while MongoDB answers. */
export function recentSettings(
  store: AccountLimitsStore,
  defaults: AccountLimits,
): (account: string) => Promise<AccountSettings> {
  const recent = new StaleIfErrorCache<AccountSettings>({
    ...RECENT,
    what: "Reading an account's limits",
    max: CACHE_MAX_ACCOUNTS,
    read: async (account) => ({ ...defaults, ...(await store.find(account)) }),
  });
  return (account) => recent.get(account);
}
